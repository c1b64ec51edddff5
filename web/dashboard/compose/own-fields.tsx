import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { INTERRUPTION_LEVELS, type Platform } from '../../../src/rules/platforms.ts'
import { useTexts } from '../kit/texts.tsx'
import type { ControlProps, Focus } from './draft.ts'
import { isOwn, OWN_FIELDS, type OwnField, platformOf } from './own.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

type PlatformChoiceProps = Pick<ControlProps, 'draft'> & {
  readonly focus: Focus
  readonly setFocus: (focus: Focus) => void
}

/** All devices together, or one platform whose message differs. A mark shows which do. */
export function PlatformChoice({ draft, focus, setFocus }: PlatformChoiceProps) {
  const { what, who } = useTexts(COMPOSE_TEXTS)
  const names: Readonly<Record<string, string>> = who.names
  const choices = draft.platforms.map((value) => {
    const platform = platformOf(value)
    const differs = platform !== null && [draft.owns.A, draft.owns.B].some((owns) => isOwn(owns[platform]))
    return { value, label: differs ? `${names[value] ?? value} *` : names[value] }
  })
  return (
    <div className={styles.field}>
      <SegmentedControl
        className={styles.start ?? ''}
        aria-label={what.platform}
        value={focus.platform ?? ''}
        data={[{ value: '', label: what.allDevices }, ...choices]}
        onChange={(name) => setFocus({ ...focus, platform: platformOf(name) })}
      />
      {focus.platform !== null && <p className={`tiny quiet ${styles.hint}`}>{what.platformHint}</p>}
    </div>
  )
}

type OwnFieldsProps = ControlProps & {
  readonly platform: Platform
  readonly flaw: (field: string) => string | null
}

/** Everything beside the words that this platform can have of its own. */
export function OwnFields({ draft, change, platform, flaw }: OwnFieldsProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const own: Readonly<Partial<Record<OwnField, string>>> = draft.owns.A[platform]
  const write = (field: OwnField, text: string): void => {
    const next = { ...draft.owns.A, [platform]: { ...own, [field]: text } }
    change({ owns: { ...draft.owns, A: next } })
  }
  const fallback: Readonly<Partial<Record<OwnField, string>>> = {
    url: draft.url,
    image_url: draft.imageUrl,
    ...HINTS,
  }
  return (
    <div className={styles.pair}>
      {OWN_FIELDS[platform].map((field) =>
        field === 'interruption_level' ? (
          <Select
            key={field}
            label={what.own[field]}
            placeholder={what.levels.active}
            clearable
            value={own[field] ?? null}
            data={INTERRUPTION_LEVELS.map((value) => ({ value, label: what.levels[value] }))}
            onChange={(level) => write(field, level ?? '')}
          />
        ) : (
          <TextInput
            key={field}
            label={what.own[field]}
            placeholder={fallback[field] ?? ''}
            {...(field === 'badge' ? { inputMode: 'numeric' } : {})}
            value={own[field] ?? ''}
            error={flaw(field)}
            onChange={({ currentTarget }) => write(field, currentTarget.value)}
          />
        ),
      )}
    </div>
  )
}

const HINTS = {
  hero_image_url: 'https://',
  button_one_url: 'https://',
  button_two_url: 'https://',
  sound: 'default',
} as const
