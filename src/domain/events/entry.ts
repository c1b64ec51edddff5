import type { AttributeType } from '../../rules/attributes.ts'
import type { Identifiers } from '../people/identifiers.ts'
import type { JsonObject } from '../values/json.ts'

/** One event that passed every check and may be stored. Type locks are still to be asked. */
export type EventEntry = {
  /** Where it stood in the call, so that a reply can point at it. */
  readonly index: number
  readonly who: Identifiers
  readonly name: string
  readonly at: number
  readonly ltv: string
  readonly attributes: JsonObject
  /** The type of each attribute, in the order of the keys. */
  readonly types: readonly AttributeType[]
  readonly context: JsonObject | null
  /** How many bytes it takes as JSON, at most. */
  readonly bytes: number
  /** The caller's own id, which makes a repeated entry count once. */
  readonly eventId: string | null
}
