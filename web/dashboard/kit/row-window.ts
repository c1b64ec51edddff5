/** Browsers draw no element higher than some 17 million pixels, so a list is this many rows high at most. */
export const WINDOW_ROWS = 100_000
const STEP_ROWS = WINDOW_ROWS / 2
/** The window moves on when the reader is this near to its edge. */
const EDGE_ROWS = 200

export type WindowSight = {
  /** The row that the window begins with. */
  readonly base: number
  /** The rows that the list has. */
  readonly count: number
  /** The first and the last row in sight. */
  readonly first: number
  readonly last: number
  /** The reader scrolled to the very beginning, as the key Home does. */
  readonly isAtTop: boolean
}

/** Where the window begins next: half a window further on at its edges, and at the first row from its top. */
export function nextBase({ base, count, first, last, isAtTop }: WindowSight): number {
  if (base >= count || isAtTop) return 0
  const end = base + WINDOW_ROWS
  if (end < count && last >= end - EDGE_ROWS) return base + STEP_ROWS
  return base > 0 && first <= base + EDGE_ROWS ? base - STEP_ROWS : base
}
