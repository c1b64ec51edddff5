import type { Binds } from './bind.ts'

/** A text without case, as all searches compare it, in the order of the indexes. */
export function foldedSql(text: string): string {
  return `(fold_text(${text}) collate "C")`
}

/** Whether a text has a part, in any case; both are SQL expressions. */
export function containsSql(text: string, part: string): string {
  return `strpos(${foldedSql(text)}, ${foldedSql(`${part}::text`)}) > 0`
}

/** The first text that begins with a prefix, and a text after the last one. */
export type PrefixSql = { readonly first: string; readonly end: string }

export function prefixSql(search: string, binds: Binds): PrefixSql {
  const first = foldedSql(`${binds.add(search)}::text`)
  return { first, end: `(${first} || chr(1114111)) collate "C"` }
}

/** Whether a text begins with the prefix, in any case. */
export function beginsSql(text: string, { first, end }: PrefixSql): string {
  return `(${foldedSql(text)} >= ${first} and ${foldedSql(text)} < ${end})`
}
