import type { PromptOptions } from './beckon.d.ts'

export type PromptMoment = {
  readonly path: string
  /** When the visitor last said no to the SDK's dialog. */
  readonly declinedAt: number | undefined
  readonly now: number
}

/** Whether the visitor may be asked on this page and at this time. */
export function mayAsk(
  { pages, days = DAYS }: PromptOptions,
  { path, declinedAt, now }: PromptMoment,
): boolean {
  if (declinedAt !== undefined && now - declinedAt < days * DAY_MS) return false
  return pages === undefined || pages.some((pattern) => matches(pattern, path))
}

const DAYS = 14
const DAY_MS = 86_400_000

/** A star stands for any text, every other character for itself. */
function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(path)
}
