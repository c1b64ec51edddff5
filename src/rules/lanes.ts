/**
 * The lanes in which stored work waits for a worker, as operators see them in the metrics. `meaning` says what one unit of
 * the backlog is, and from when its age counts.
 */
export const LANES = {
  'plan-sends':
    'Sends to one person that are due and are not yet handed to the senders, since they were due.',
  'plan-broadcasts': 'Broadcasts that are due and not yet divided into chunks, since they were due.',
  'send-small': 'Messages of sends and small audiences that are ready, since they were ready.',
  'send-bulk': 'Messages of larger audiences that are ready, since they were ready.',
  retries: 'Messages of both kinds that are ready for another attempt, since they were ready.',
  journeys: 'People in active journeys whose next step is due, since it was due.',
  webhooks:
    'Messages in the outbox of webhooks that no endpoint has taken yet, since they were stored. Disabled endpoints do not count.',
  counting: 'Events that are stored and not counted yet, since they were stored.',
  'journey-events': 'Events that journeys have not read yet, since they were stored.',
  goals: 'Events that the goals of campaigns and journeys have not read yet, since they were stored.',
  series: 'Changes that are not added to the series and the counts of tags yet.',
  results: 'Changes that are not added to the results of campaigns and journeys yet. They have no age.',
} as const satisfies Readonly<Record<string, string>>

export type LaneName = keyof typeof LANES

/** The count of a lane stops here, so that a long queue costs no more to look at than a short one. */
export const LANE_ROWS_MAX = 10_000
