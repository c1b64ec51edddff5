import { ActionIcon, Button } from '@mantine/core'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { use } from 'react'
import type { ListShape } from '../../../src/rules/documents.ts'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { listOf } from './draft.ts'
import { FieldContext, type FieldProps, useNames } from './field-props.ts'
import styles from './fields.module.css'
import { emptyOf } from './shapes.ts'
import { JOURNEY_TEXTS } from './texts.ts'

/** Items below each other. A list without items is left out of the document where it may be. */
export function ListField({ shape, name, value, onChange, path, faults }: FieldProps<ListShape>) {
  const Field = use(FieldContext)
  const texts = useTexts(JOURNEY_TEXTS)
  const { label } = useNames()
  const items = listOf(value)
  const isFull = shape.itemsMax !== null && items.length >= shape.itemsMax
  return (
    <fieldset className={styles.group}>
      <legend>{label(name)}</legend>
      {items.map((item, index) => (
        <div key={`${index} of ${items.length}`} className={styles.item}>
          <div className={styles.inner}>
            <Field
              shape={shape.of}
              name={name}
              value={item}
              path={`${path}[${index}]`}
              faults={faults}
              onChange={(changed) => onChange(items.with(index, changed ?? ''))}
            />
          </div>
          {items.length > shape.itemsMin && (
            <ActionIcon
              aria-label={`${texts.removeItem}: ${label(name)} ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              <Icon of={IconX} />
            </ActionIcon>
          )}
        </div>
      ))}
      {faults.get(path) !== undefined && <p className={styles.fault}>{faults.get(path)}</p>}
      {!isFull && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`${texts.addItem}: ${label(name)}`}
          onClick={() => onChange([...items, emptyOf(shape.of)])}
        >
          {texts.addItem}
        </Button>
      )}
    </fieldset>
  )
}
