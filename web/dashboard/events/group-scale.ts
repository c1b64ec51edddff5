import type { EventAnswer } from './replies.ts'

/** The number that fills the bar of a group, and what that number is. */
export type GroupScale = { readonly kind: 'whole' | 'people' | 'largest'; readonly full: number }

type Measures = Pick<EventAnswer, 'measure' | 'total' | 'groups' | 'rest'>

/**
 * Events and sums are parts of the whole. People are too, but one person may be in several groups, so their shares need not add up.
 * A mean or a percentile is no part of anything and is compared with the largest. Null, without bars: a bar cannot be less than nothing.
 */
export function groupScale({ measure, total, groups, rest }: Measures): GroupScale | null {
  const values = [...groups, ...(rest === null ? [] : [rest])].map(({ value }) => value ?? 0)
  if (values.some((value) => value < 0)) return null
  if (measure === 'count' || measure === 'sum') return { kind: 'whole', full: total.value ?? 0 }
  if (measure === 'people') return { kind: 'people', full: total.value ?? 0 }
  return { kind: 'largest', full: Math.max(0, ...values) }
}
