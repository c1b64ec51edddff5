export type AttributeTypeRow = {
  /** As the contract spells it; replies and the schema page show this. */
  readonly label: string
  /** How many attributes of this type one event may carry (spec §8). */
  readonly perEventMax: number
  /** Values of these other types fit a lock of this one, because the text alone cannot tell them apart. */
  readonly alsoAccepts: readonly string[]
}

/** What an attribute can be. The first stored value locks an attribute to one of these (spec §8, rule 3). */
export const ATTRIBUTE_TYPES = {
  string: { label: 'String', perEventMax: 200, alsoAccepts: ['date'] },
  number: { label: 'Number', perEventMax: 100, alsoAccepts: [] },
  boolean: { label: 'Boolean', perEventMax: 20, alsoAccepts: [] },
  date: { label: 'Date', perEventMax: 20, alsoAccepts: [] },
  object: { label: 'Object', perEventMax: 20, alsoAccepts: [] },
  object_array: { label: 'Array of Objects', perEventMax: 5, alsoAccepts: [] },
} as const satisfies Record<string, AttributeTypeRow>

export type AttributeType = keyof typeof ATTRIBUTE_TYPES

/** The bounds of a set of attributes. Characters are code points, bytes are UTF-8. */
export type AttributeLimits = {
  /** What the set is called in a request. */
  readonly field: string
  readonly countMax: number
  readonly nameCharsMax: number
  readonly stringCharsMax: number
  /** Null where only characters are counted. */
  readonly stringBytesMax: number | null
  readonly objectDepthMax: number
  /** Whether `perEventMax` holds as well. */
  readonly hasTypeMaxima: boolean
}

/** Those of an event (spec §8). What the contract calls "under N" stands here as N − 1. */
export const EVENT_ATTRIBUTES: AttributeLimits = {
  field: 'attributes',
  countMax: 255,
  nameCharsMax: 49,
  stringCharsMax: 254,
  stringBytesMax: 255,
  objectDepthMax: 32,
  hasTypeMaxima: true,
}

/** Those of a profile (decisions §5). */
export const PROFILE_ATTRIBUTES: AttributeLimits = {
  field: 'user_attributes',
  countMax: 255,
  nameCharsMax: 49,
  stringCharsMax: 999,
  stringBytesMax: null,
  objectDepthMax: 32,
  hasTypeMaxima: false,
}
