/**
 * How long series are kept, and how much of them one request reads. Beyond `minutesHours` there are no single minutes.
 * Rows stay until `rowsDays` are over, so that also the oldest week that a request can name is whole, in any zone.
 */
export const SERIES_LIMITS = {
  keptDays: 760,
  rowsDays: 768,
  minutesHours: 48,
  spansMax: 1_500,
  metricsMax: 10,
  groupsMax: 50,
} as const

/** The spans of time that a series is cut into, and how many a request gets that names no beginning. */
export const SERIES_SPANS = {
  minute: { usual: 60 },
  hour: { usual: 48 },
  day: { usual: 30 },
  week: { usual: 13 },
} as const satisfies Record<string, { readonly usual: number }>

export type SeriesSpan = keyof typeof SERIES_SPANS

/** The lengths of the stored spans in minutes. The minutes 0 stand for all time, and are kept for levels only. */
export const SERIES_MINUTES = { minute: 1, quarter: 15, hour: 60, allTime: 0 } as const

const OF_MESSAGES = ['platform', 'campaign', 'journey', 'step'] as const

/**
 * Everything that is counted over time. `stored` are the metrics of the table that make it up. A `flow` adds up; a
 * `level` is what there is at the end of a span; `people` are counted once in each span. `parts` are the parts that the
 * metric can be narrowed to and divided into.
 */
export const SERIES_METRICS = {
  sends: {
    kind: 'flow',
    stored: ['accepted', 'failed'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages that a push service took or that failed',
  },
  accepted: {
    kind: 'flow',
    stored: ['accepted'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages that a push service took',
  },
  failed: {
    kind: 'flow',
    stored: ['failed'],
    scope: 'push',
    parts: [...OF_MESSAGES, 'name'],
    meaning: 'messages that failed for good; name is the reason',
  },
  expired: {
    kind: 'flow',
    stored: ['expired'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages whose time was over before they were sent',
  },
  received: {
    kind: 'flow',
    stored: ['received'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages that a device reported as received',
  },
  clicked: {
    kind: 'flow',
    stored: ['clicked'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages that were clicked',
  },
  dismissed: {
    kind: 'flow',
    stored: ['dismissed'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages that were dismissed',
  },
  button: {
    kind: 'flow',
    stored: ['button'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'messages with a click on a button',
  },
  goals: {
    kind: 'flow',
    stored: ['goals'],
    scope: 'push',
    parts: OF_MESSAGES,
    meaning: 'goal events of campaigns and journeys, each with the message it counts for',
  },
  opt_outs: {
    kind: 'flow',
    stored: ['opt_outs'],
    scope: 'push',
    parts: ['platform', 'name'],
    meaning: 'topics that people and devices opted out of; name is the topic, and `*` everything',
  },
  unsubscribed: {
    kind: 'flow',
    stored: ['unsubscribed'],
    scope: 'subscriptions',
    parts: ['platform', 'name'],
    meaning: 'devices that were unsubscribed; name is the reason',
  },
  subscriptions: {
    kind: 'level',
    stored: ['subscriptions'],
    scope: 'subscriptions',
    parts: ['platform'],
    meaning: 'live subscriptions at the end of each span',
  },
  events: {
    kind: 'flow',
    stored: ['events'],
    scope: 'events',
    parts: ['name'],
    meaning: 'events by the time at which they happened; name is the event name',
  },
  people_new: {
    kind: 'flow',
    stored: ['people_new'],
    scope: 'profiles',
    parts: [],
    meaning: 'profiles that were made',
  },
  people_active: {
    kind: 'people',
    stored: [],
    scope: 'profiles',
    parts: [],
    meaning: 'people with an event in the span, each once',
  },
  journey_entries: {
    kind: 'flow',
    stored: ['journey_entries'],
    scope: 'journeys',
    parts: ['journey'],
    meaning: 'people who entered a journey',
  },
  journey_exits: {
    kind: 'flow',
    stored: ['journey_exits'],
    scope: 'journeys',
    parts: ['journey', 'name'],
    meaning: 'people who left a journey; name is the reason',
  },
  journey_steps: {
    kind: 'flow',
    stored: ['journey_steps'],
    scope: 'journeys',
    parts: ['journey', 'step', 'name'],
    meaning: 'everything that happened at the steps of journeys; name is what happened',
  },
} as const satisfies Record<string, SeriesMetricRow>

type SeriesMetricRow = {
  readonly kind: 'flow' | 'level' | 'people'
  readonly stored: readonly string[]
  readonly scope: 'push' | 'events' | 'profiles' | 'subscriptions' | 'journeys'
  readonly parts: readonly SeriesGroup[]
  readonly meaning: string
}

export type SeriesMetric = keyof typeof SERIES_METRICS

/** The metrics that a single notification has. They are counted from its rows, which go when it is erased or too old. */
export const NOTIFICATION_METRICS: readonly SeriesMetric[] = [
  'received',
  'clicked',
  'dismissed',
  'button',
  'goals',
]

/** The parts that a series can be divided into, and the column of each. */
export const SERIES_GROUPS = {
  platform: 'platform',
  campaign: 'campaign_id',
  journey: 'journey_id',
  step: 'step',
  name: 'name',
} as const

export type SeriesGroup = keyof typeof SERIES_GROUPS
