/** Bounds of a segment and of its filter, so that whoever evaluates one knows the most it can cost. */
export const SEGMENT_LIMITS = {
  nameCharsMax: 200,
  /** Levels of `all`, `any` and `not`, the conditions at the bottom included. */
  depthMax: 8,
  nodesMax: 200,
  usersMax: 10_000,
  userCharsMax: 100,
  tagCharsMax: 100,
  /** A refusal names this many bad places and stops looking. */
  faultsMax: 20,
} as const

/** What a node of a filter may be; each node has exactly one of these keys. */
export const SEGMENT_CONDITIONS = {
  all: 'every one of a list of filters holds',
  any: 'at least one of a list of filters holds',
  not: 'the filter does not hold',
  tag: 'the subscription or its person carries the tag',
  users: 'the person is one of the listed users',
} as const satisfies Record<string, string>

export type SegmentCondition = keyof typeof SEGMENT_CONDITIONS
