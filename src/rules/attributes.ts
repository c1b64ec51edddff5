type AttributeTypeRow = {
  /** The contract's name of the type; replies and the schema page show it. */
  readonly label: string
  /** How many attributes of this type one event may carry (spec §8). */
  readonly perEventMax: number
  /** Values of these other types fit a lock of this type, because a text may look like both. */
  readonly alsoAccepts: readonly string[]
}

/** The types of attributes. The first stored value locks an attribute to its type (spec §8, rule 3). */
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
  /** The name of the set in a request. */
  readonly field: string
  readonly countMax: number
  readonly nameCharsMax: number
  readonly stringCharsMax: number
  /** Null when only characters are counted. */
  readonly stringBytesMax: number | null
  readonly objectDepthMax: number
  /** Whether `perEventMax` holds as well. */
  readonly hasTypeMaxima: boolean
}

/** The bounds for an event (spec §8). Where the contract says "under N", this table has N − 1. */
export const EVENT_ATTRIBUTES: AttributeLimits = {
  field: 'attributes',
  countMax: 255,
  nameCharsMax: 49,
  stringCharsMax: 254,
  stringBytesMax: 255,
  objectDepthMax: 32,
  hasTypeMaxima: true,
}

/** The bounds for a profile (decisions §5). */
export const PROFILE_ATTRIBUTES: AttributeLimits = {
  field: 'user_attributes',
  countMax: 255,
  nameCharsMax: 49,
  stringCharsMax: 999,
  stringBytesMax: null,
  objectDepthMax: 32,
  hasTypeMaxima: false,
}
