/** What the supervisor tells a process. */
export type ToChild =
  /** Finish what is in flight, take nothing new, and leave. */
  | { readonly kind: 'drain' }
  /** Say what you measured. */
  | { readonly kind: 'measure'; readonly id: number }
  /** What everybody measured, as you asked. */
  | { readonly kind: 'all-measured'; readonly id: number; readonly text: string }

/** What a process tells the supervisor. */
export type FromChild =
  /** It is in service. */
  | { readonly kind: 'ready' }
  /** It cannot start, and this sentence says why. */
  | { readonly kind: 'failed'; readonly sentence: string }
  | { readonly kind: 'measured'; readonly id: number; readonly text: string }
  /** Somebody scrapes this process and wants to hear about all of them. */
  | { readonly kind: 'measure-all'; readonly id: number }

/** An answer to `/metrics` has to be there by then; a process that is stuck is left out of it. */
export const MEASURE_MAX_MS = 2_000
