// Logging events

/**
 * The bounds of one event call and of one entry in it (spec §8, decisions §4); the bounds of attributes stand in
 * `attributes.ts`. Characters are code points, bytes are UTF-8. Where the contract says "under N", this table has N − 1.
 */
export const EVENT_LIMITS = {
  entriesMax: 1000,
  /** A thousand of the largest entries, and the brackets around them. */
  bodyBytesMax: 63 * 1024 * 1024,
  /** A thousand entries with all the attributes they may have, and as many objects and lists inside them. */
  bodyContainersMax: 200_000,
  bodyValuesMax: 400_000,
  /** An object with more members is larger than an entry may be, however short their names are (decision 0032). */
  bodyMembersMax: 10_000,
  entryBytesMax: 64 * 1024,
  userIdCharsMax: 100,
  eventIdCharsMax: 64,
  eventNameCharsMax: 254,
  /** An event may lie at most this far ahead of our clock. */
  futureMsMax: 24 * 60 * 60 * 1000,
  /** The start of the year 1 in UTC. */
  earliestAt: Date.parse('0001-01-01T00:00:00Z'),
  /** How long an `event_id` is remembered, and how long a refused entry can be read. */
  eventIdDays: 7,
  rejectedDays: 7,
  /** How long a process uses a type lock that it knows, and when a changed lock is surely known to all processes. */
  typeLockCacheMs: 3_000,
  typeLockSettleMs: 5_000,
  /** The first characters of a refused entry that are kept, and the most warnings that one reply lists. */
  rejectedCharsMax: 4096,
  warningsMax: 1000,
} as const

/** The ltv of an event whose entry has none (spec §2.2). */
export const LTV_DEFAULT = '10'

/** The fields of an entry. Any other field is ignored with a warning. */
export const ENTRY_FIELDS = [
  'userID',
  'email',
  'mobile',
  'event_name',
  'ltv',
  'attributes',
  'context',
  'event_time',
  'event_id',
] as const

/** The parts of `context`, all text (spec §2.2). `''` is the object itself. */
export const CONTEXT_FIELDS = {
  '': ['ip_address', 'language', 'platform'],
  page: ['url', 'referrer', 'query_params', 'landing_page_url'],
  utm: [
    'campaign',
    'source',
    'medium',
    'term',
    'content',
    'google_click_id',
    'ad_source',
    'adcampaign_id',
    'adgroup_id',
    'ad_id',
  ],
} as const

/** The values of `context.platform`. */
export const CONTEXT_PLATFORMS = ['website', 'm-site', 'android app', 'ios app'] as const

// Reading events

/** The bounds of lists, statistics, funnels and retention. */
export const EVENT_READ_LIMITS = {
  /** The time range of a question without `from`. */
  spanDaysDefault: 30,
  statsRowsMax: 1000,
  funnelStepsMax: 10,
  funnelWithinSecondsMax: 365 * 86_400,
  retentionPeriodsMax: 31,
  retentionPeriodsDefault: 8,
  retentionCohortsMax: 366,
  /** Rows that an export reads at a time, so that its memory does not grow with the export. */
  exportPageRows: 250,
} as const

/** Pages of exports that one process reads at once, and how many of them for one brand; the other exports wait. */
export const EXPORT_LANE = { capacity: 4, keyCapacity: 1, waitersMax: 1_000, waitMs: 60_000 } as const

/** The groups of statistics. */
export const STATS_GROUPS = ['hour', 'day', 'name', 'attribute'] as const

export type StatsGroup = (typeof STATS_GROUPS)[number]
