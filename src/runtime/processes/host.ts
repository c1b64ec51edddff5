/** What surrounds an API or worker process: the supervisor, or just the terminal it was started from. */
export type Host = {
  /** Aborts when the process is to finish what is in flight and leave. */
  readonly signal: AbortSignal
  /** Says that the process is in service. */
  readonly ready: () => Promise<void>
  /** The Prometheus text of every process that belongs together. */
  readonly renderMetrics: () => Promise<string>
}
