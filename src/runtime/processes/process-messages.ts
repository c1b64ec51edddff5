/** A message from the supervisor to a process. */
export type MessageToProcess =
  /** Finish the work in flight, take nothing new, and exit. */
  | { readonly kind: 'drain' }
  /** Send your own metrics. */
  | { readonly kind: 'measure'; readonly id: number }
  /** The metrics of all processes, as you asked. */
  | { readonly kind: 'all-measured'; readonly id: number; readonly text: string }

/** A message from a process to its supervisor. */
export type MessageFromProcess =
  /** The process is in service. */
  | { readonly kind: 'ready' }
  /** The process cannot start, and this sentence says why. */
  | { readonly kind: 'failed'; readonly sentence: string }
  | { readonly kind: 'measured'; readonly id: number; readonly text: string }
  /** Prometheus scrapes this process and wants the metrics of all. */
  | { readonly kind: 'measure-all'; readonly id: number }

/** `/metrics` is answered within this time; a process that is stuck is left out. */
export const MEASURE_MAX_MS = 2_000
