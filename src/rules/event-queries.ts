/** The measures of events: a question has one of them, in each group and each span of time. */
export const EVENT_MEASURES = {
  count: { meaning: 'how many events', needsNumber: false },
  people: { meaning: 'how many people', needsNumber: false },
  sum: { meaning: 'the sum of a number', needsNumber: true },
  average: { meaning: 'the mean of a number', needsNumber: true },
  percentile: { meaning: 'the value of a number below which so many percent lie', needsNumber: true },
} as const

export type EventMeasure = keyof typeof EVENT_MEASURES

export const EVENT_QUERY_SPANS = ['hour', 'day', 'week'] as const
export type EventQuerySpan = (typeof EVENT_QUERY_SPANS)[number]

export const EVENT_QUERY_LIMITS = {
  /** The most things that one question divides by. */
  partsMax: 3,
  groupsMax: 50,
  groupsDefault: 10,
  spansMax: 1_000,
  pathDepthMax: 10,
  pathDepthDefault: 3,
  pathSecondsDefault: 86_400,
  /** Events that are read in a second on a machine of two cores, and if each is put in a group; estimates are made with them. */
  eventsPerSecond: 500_000,
  groupedPerSecond: 200_000,
  /** The same for events in files, in groups or not. */
  filedPerSecond: 3_000_000,
} as const
