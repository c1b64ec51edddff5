// Requests

/** Bounds that hold on every endpoint. The bounds of one field stand with the field. */
export const LIMITS = {
  bodyBytesMax: 1024 * 1024,
  bodyDepthMax: 512,
  /** Objects and lists of a body, and members and items in them: each takes far more memory than its bytes. */
  bodyContainersMax: 25_000,
  bodyValuesMax: 100_000,
  /** Members of one object: a few times as many as the largest that an endpoint takes (decision 0032). */
  bodyMembersMax: 1_000,
  /** A handler can get the raw bytes of a body up to this size, to store them unchanged. */
  keptBodyBytesMax: 4 * 1024 * 1024,
  /** A larger body is parsed when its brand is at turn; parsing a smaller one takes less than a millisecond. */
  sharedBodyBytesMin: 64 * 1024,
  /** The memory of one process for all bodies that are larger than `bodyBytesMax`. */
  largeBodiesBytesMax: 64 * 1024 * 1024,
  pageSizeMax: 500,
  /** A page of a list ends after this many bytes, even if it has fewer rows than asked for. */
  pageBytesMax: 1024 * 1024,
  pageSizeDefault: 50,
  idempotencyKeyCharsMax: 255,
  idempotencyHours: 24,
  /** Push requests per brand and endpoint in any sliding window (spec §8). */
  pushRequestsMax: 500,
  pushWindowMs: 60_000,
  /** Requests of browsers per brand, endpoint and network in any sliding window: one address may be a whole office. */
  visitorRequestsMax: 600,
  visitorWindowMs: 60_000,
  /** Reports of receipts per network, with no key. One address may be a mobile carrier with thousands of phones. */
  receiptRequestsMax: 3_000,
  receiptWindowMs: 60_000,
  /** Tests of channels and webhooks per brand and endpoint: each waits for a foreign server, which may hang. */
  trialRequestsMax: 30,
  trialWindowMs: 60_000,
  /** Calls of the sign-in per endpoint and network, with no session yet. One address may be a whole office. */
  signInRequestsMax: 120,
  signInWindowMs: 60_000,
  /** A revoked key is refused at once, and after at most 5 s by a process that missed the notice. */
  keyCacheMs: 3_000,
} as const

// Imports

/** Bounds of a list that is imported while it arrives. Memory holds one batch, whatever the length of the list. */
export const IMPORT_LIMITS = {
  bytesMax: 1024 * 1024 * 1024,
  rowBytesMax: 64 * 1024,
  /** Rows that are stored in one transaction; progress is reported after each. */
  batchRows: 1_000,
  /** The report counts every refused row and lists this many of them. */
  refusalsMax: 100,
  /** Ignored fields are named once each, up to this many. */
  warningsMax: 20,
} as const

// Scripts of the web SDK

/** The largest size of each script, zipped. `npm run check` measures the scripts. */
export const SCRIPT_BYTES_MAX = {
  'sdk.js': 8 * 1024,
  'sdk.mjs': 8 * 1024,
  'preferences.mjs': 1024,
  'sw.js': 4 * 1024,
} as const
