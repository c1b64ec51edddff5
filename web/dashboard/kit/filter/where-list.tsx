import { ActionIcon, Button } from '@mantine/core'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { SEGMENT_LIMITS } from '../../../../src/rules/segments.ts'
import { Icon } from '../icon.tsx'
import { useTexts } from '../texts.tsx'
import { AttributeFields } from './attribute-fields.tsx'
import styles from './filter.module.css'
import { FILTER_TEXTS } from './filter-texts.ts'
import { newLeaf, type Written } from './written.ts'

type WhereListProps = {
  readonly where: readonly Written[]
  /** The event whose attributes are compared; '' for any. */
  readonly event: string
  readonly onChange: (where: readonly Written[]) => void
}

/** Conditions on attributes of events, all of which must hold. */
export function WhereList({ where, event, onChange }: WhereListProps) {
  const texts = useTexts(FILTER_TEXTS)
  return (
    <div className={styles.where}>
      {where.map((part, at) => (
        <div key={at} className={styles.fields}>
          <span className={styles.unit}>{at === 0 ? texts.where : texts.and}</span>
          <AttributeFields leaf={part} event={event} onChange={(next) => onChange(where.with(at, next))} />
          <ActionIcon aria-label={texts.remove} onClick={() => onChange(where.toSpliced(at, 1))}>
            <Icon of={IconX} />
          </ActionIcon>
        </div>
      ))}
      {where.length < SEGMENT_LIMITS.whereMax && (
        <Button
          className={styles.addWhere}
          variant="subtle"
          color="gray"
          size="compact-xs"
          onClick={() => onChange([...where, newLeaf('attribute')])}
        >
          {where.length === 0 ? texts.addWhere : texts.add}
        </Button>
      )}
    </div>
  )
}
