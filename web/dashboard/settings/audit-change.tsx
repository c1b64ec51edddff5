import { encodeJson, type Json } from '../../client/json.ts'
import { useTexts } from '../kit/texts.tsx'
import { AUDIT_TEXTS } from './audit-texts.ts'
import styles from './page.module.css'

type Fields = Readonly<Record<string, Json>> | null
type ChangeProps = { readonly before: Fields; readonly after: Fields }

const FIELDS_SHOWN = 4
const VALUE_CHARS = 60

/** The fields that differ, short; long documents open in full. */
export function Change({ before, after }: ChangeProps) {
  const { whole } = useTexts(AUDIT_TEXTS)
  const fields = differences({ before, after })
  const isLong = fields.length > FIELDS_SHOWN || fields.some(({ from, to }) => isCut(from) || isCut(to))
  const isNew = before === null
  const short = fields.slice(0, FIELDS_SHOWN)
  return (
    <div className={styles.change}>
      {short.map(({ name, from, to }) => (
        <div key={name}>
          <span className="faint">{name}</span> {isNew ? cut(to) : `${cut(from)} → ${cut(to)}`}
        </div>
      ))}
      {isLong && (
        <details>
          <summary>{whole}</summary>
          <pre>{fields.map(({ name, from, to }) => `${name}: ${from} → ${to}`).join('\n')}</pre>
        </details>
      )}
    </div>
  )
}

function differences({ before, after }: ChangeProps) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) => ({ name, from: shown(before?.[name]), to: shown(after?.[name]) }))
    .filter(({ from, to }) => from !== to)
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : encodeJson(value)
}

function isCut(text: string): boolean {
  return text.length > VALUE_CHARS
}

function cut(text: string): string {
  return isCut(text) ? `${text.slice(0, VALUE_CHARS)}…` : text
}
