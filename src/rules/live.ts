import type { Scope } from './brand.ts'

/** Bounds of live streams (docs/live.md). */
export const LIVE_LIMITS = {
  /** Open streams of one process, and how many of them one brand may have. */
  streamsMax: 2_000,
  brandStreamsMax: 1_000,
  /** Subjects of one stream, and different subjects that one process reads, in all and for one brand. */
  subjectsMax: 20,
  feedsMax: 1_000,
  brandFeedsMax: 200,
  /** A subject is read this often at most; one that is over, or the overview, less often. */
  everyMs: 1_000,
  overviewEveryMs: 2_000,
  overEveryMs: 5_000,
  /** A subject whose reading takes long is left alone for this many times as long. */
  pausePerLook: 9,
  /** A comment that tells proxies and browsers that the stream lives. */
  heartbeatMs: 15_000,
  /** How often the key or the session of a stream is checked again; the answers are cached for `LIMITS.keyCacheMs`. */
  checkMs: 1_000,
  /** The events that wait for a slow reader; a reader that is further behind is closed. */
  bufferBytesMax: 1024 * 1024,
  /** How much is written at a time. */
  writeBytesMax: 64 * 1024,
  /** How long a closed stream has to take its last message. */
  partingMs: 3_000,
  /** When a browser reconnects: not all of them at once. */
  retryMs: 1_000,
  retrySpreadMs: 3_000,
  /** The rate is that of the last seconds. */
  rateWindowMs: 10_000,
  /** Deliveries that were not accepted, of which the reasons are counted. */
  errorRowsMax: 10_000,
  errorReasonsMax: 20,
  /** The events that one look shows, and the looks that catch up after a pause; more is a gap. */
  tailEventsMax: 500,
  catchUpLooksMax: 20,
  /** A reader that was away longer does not catch up. */
  catchUpMs: 60 * 60_000,
  /** The overview: single minutes of events, waiting approvals that are named, and refused entries that are counted. */
  overviewMinutes: 5,
  approvalsMax: 10,
  refusedMax: 1_000,
} as const

/** Looks at subjects that one process does at once, and how many of them for one brand; the others wait. */
export const LIVE_LOOKS = { capacity: 4, keyCapacity: 2, waitersMax: 1_000, waitMs: 60_000 } as const

/**
 * What a stream can be about. A caller needs one of the scopes, or the read half of one. A subject with an `id` is one of
 * many: `campaign:12`.
 */
export const LIVE_SUBJECTS = {
  notification: { id: 'uuid', scopes: ['push'], missing: 'notification_not_found' },
  campaign: { id: 'int64', scopes: ['push'], missing: 'campaign_not_found' },
  journey: { id: 'int64', scopes: ['journeys'], missing: 'journey_not_found' },
  overview: { id: null, scopes: ['push', 'events', 'subscriptions', 'brand', 'schema:read'] },
  virtual_devices: { id: null, scopes: ['push'] },
  events: { id: null, scopes: ['events', 'schema:read'] },
} as const satisfies Record<string, LiveSubjectRow>

type LiveSubjectRow = {
  readonly id: 'uuid' | 'int64' | null
  readonly scopes: readonly Scope[]
  /** The refusal when there is none with this id. */
  readonly missing?: string
}

export type LiveSubjectKind = keyof typeof LIVE_SUBJECTS

/** The scopes that show events whole. A caller with `schema:read` alone sees names of events and attributes, and nobody. */
export const WHOLE_EVENT_SCOPES = ['events'] as const satisfies readonly Scope[]

/** The parts of the overview, each for callers with one of its scopes or the read half of one. */
export const OVERVIEW_PARTS = {
  sends: ['push'],
  queue: ['push'],
  approvals: ['push'],
  events: ['events'],
  refused: ['events'],
  type_conflicts: ['events', 'schema:read'],
  devices: ['subscriptions'],
  channels: ['brand'],
} as const satisfies Record<string, readonly Scope[]>

export type OverviewPart = keyof typeof OVERVIEW_PARTS

/** Why Beckon closes a stream. */
export const LIVE_ENDS = {
  unauthenticated: 'The key was revoked, the session is over, or the member or the brand is gone.',
  scope_missing: 'The key or the role may not read one of the subjects any more.',
  too_slow: 'The reader was too slow. Connect again: Last-Event-ID says where it was.',
  stopping: 'This Beckon stops or restarts. Connect again.',
} as const

export type LiveEnd = keyof typeof LIVE_ENDS

/** Refusals of live streams. */
export const LIVE_ERRORS = {
  too_many_streams: {
    status: 429,
    message: 'A brand may have at most {max} live {what} open here. Close one first, or try again later.',
  },
} as const
