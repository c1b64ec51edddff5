import type { PromptOptions } from './beckon.d.ts'

export type PromptMoment = {
  readonly path: string
  /** When the reader last said no to our own question. */
  readonly declinedAt: number | undefined
  readonly now: number
}

/** Whether the reader may be asked here and now. */
export function mayAsk(
  { pages, days = DAYS }: PromptOptions,
  { path, declinedAt, now }: PromptMoment,
): boolean {
  if (declinedAt !== undefined && now - declinedAt < days * DAY_MS) return false
  return pages === undefined || pages.some((pattern) => matches(pattern, path))
}

const DAYS = 14
const DAY_MS = 86_400_000

/** A star stands for anything, every other character for itself. */
function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(path)
}
