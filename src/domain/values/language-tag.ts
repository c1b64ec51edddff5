import { CHINESE_SCRIPTS, LANGUAGE_ALIASES } from '../../rules/languages.ts'

/** A language tag such as `en` or `pt-BR`; null when it is none. Android writes `pt_BR` for what others write `pt-BR`. */
export function languageTagOf(text: string): string | null {
  const tag = text.replaceAll('_', '-')
  return TAG.test(tag) ? tag : null
}

const TAG = /^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,4}$/iu

/** The one spelling of a tag for comparing. Tags that mean the same language have the same one: `iw_IL` is `he-il`. */
export function comparableTag(tag: string): string {
  const [first = '', second = '', ...rest] = tag.toLowerCase().replaceAll('_', '-').split('-')
  const language = Object.hasOwn(LANGUAGE_ALIASES, first) ? (LANGUAGE_ALIASES[first] ?? first) : first
  const parts = second === '' ? rest : [second, ...rest]
  const script = language === 'zh' && Object.hasOwn(CHINESE_SCRIPTS, second) ? CHINESE_SCRIPTS[second] : null
  return [language, ...(script === null || script === undefined ? [] : [script]), ...parts].join('-')
}

/**
 * A comparable tag and its prefixes, the longest first: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647, lookup). A single letter or
 * digit begins an extension, so a prefix never ends in one.
 */
export function prefixesOf(comparable: string): readonly string[] {
  const parts = comparable.split('-')
  const prefixes: string[] = []
  for (let count = parts.length; count > 0; count -= 1) {
    if ((parts[count - 1] ?? '').length > 1 || count === 1) prefixes.push(parts.slice(0, count).join('-'))
  }
  return prefixes
}
