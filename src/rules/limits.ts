/** Bounds that hold on every endpoint. Those of one field stand with the field. */
export const LIMITS = {
  bodyBytesMax: 1024 * 1024,
  bodyDepthMax: 512,
  /** Objects and lists of a body, and members and items in them: each takes far more memory than its bytes. */
  bodyContainersMax: 25_000,
  bodyValuesMax: 100_000,
  /** A body up to this size is kept as it came, for a handler that hands it on. */
  keptBodyBytesMax: 4 * 1024 * 1024,
  /** What the bodies that are larger than `bodyBytesMax` may take of one process together. */
  largeBodiesBytesMax: 64 * 1024 * 1024,
  pageSizeMax: 500,
  pageSizeDefault: 50,
  idempotencyKeyCharsMax: 255,
  idempotencyHours: 24,
  /** Push requests per brand and endpoint in any sliding window (spec §8). */
  pushRequestsMax: 500,
  pushWindowMs: 60_000,
  /** Requests of browsers per brand, endpoint and network in any sliding window: a whole office behind one address. */
  visitorRequestsMax: 600,
  visitorWindowMs: 60_000,
  /** Tests of channels and webhooks per brand and endpoint: each waits for somebody else's server, which may hang. */
  trialRequestsMax: 30,
  trialWindowMs: 60_000,
  /** A revoked key is refused everywhere at once, and after at most 5 s by a process that did not hear of it. */
  keyCacheMs: 3_000,
} as const

/** Bounds of a list that is imported as it arrives. Memory holds one batch, whatever the list's length. */
export const IMPORT_LIMITS = {
  bytesMax: 1024 * 1024 * 1024,
  rowBytesMax: 64 * 1024,
  /** What is stored in one transaction, and how often progress is told. */
  batchRows: 1_000,
  /** The report counts every refused row and shows this many of them. */
  refusalsMax: 100,
  /** Fields that did nothing are named once each, up to this many. */
  warningsMax: 20,
} as const

/** What a page has to download, in bytes, zipped. A test holds the scripts to it. */
export const SCRIPT_BYTES_MAX = {
  'sdk.js': 8 * 1024,
  'sdk.mjs': 8 * 1024,
  'sw.js': 4 * 1024,
} as const
