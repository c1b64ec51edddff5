/** The bounds of what can be asked about events. */
export const EVENT_READ_LIMITS = {
  /** What a question about time means when it does not say from when. */
  spanDaysDefault: 30,
  statsRowsMax: 1000,
  funnelStepsMax: 10,
  funnelWithinSecondsMax: 365 * 86_400,
  retentionPeriodsMax: 31,
  retentionPeriodsDefault: 8,
  retentionCohortsMax: 366,
  /** Rows an export reads at a time; its memory does not grow with what it exports. */
  exportPageRows: 250,
  /** How often a live tail looks, how long it stays, how many one process serves and what one look shows. */
  tailEveryMs: 500,
  tailStayMs: 10 * 60_000,
  tailsMax: 20,
  tailEventsMax: 500,
} as const

/** What statistics can be grouped by. */
export const STATS_GROUPS = ['hour', 'day', 'name', 'attribute'] as const

export type StatsGroup = (typeof STATS_GROUPS)[number]
