import styles from './liquid-text.module.css'

/** A text as a reader means it: each fact about the person, and each snippet, by its name alone. */
export function LiquidText({ text }: { readonly text: string }) {
  return text.split(TAGS).map((part, at) => {
    const name = nameOf(part)
    if (name === null) return part
    // The same fact may stand in a text twice, so the place is a part of the key.
    return name === '' ? null : (
      <span key={`${at} ${name}`} className={styles.fact}>
        {name}
      </span>
    )
  })
}

const TAGS = /(\{\{.*?\}\}|\{%.*?%\})/su

/** Null for plain words; empty for a tag that shows nothing by itself. */
function nameOf(part: string): string | null {
  if (part.startsWith('{{')) return /(?:user\.)?([\w.-]+)/u.exec(part)?.[1]?.replaceAll('_', ' ') ?? ''
  if (part.startsWith('{%')) return /render\s+["']([\w-]+)["']/u.exec(part)?.[1] ?? ''
  return null
}
