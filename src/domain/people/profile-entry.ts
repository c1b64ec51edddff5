import type { AttributeType } from '../../rules/attributes.ts'
import type { TagChange } from '../subscriptions/subscription.ts'
import type { JsonObject } from '../values/json.ts'
import type { Identifiers } from './identifiers.ts'

/** One person to be made or changed. What is undefined stays as it is; null takes it away. */
export type ProfileEntry = {
  /** Where it stood in the call, so that a reply can point at it. */
  readonly index: number
  /** The names by which the person is found. */
  readonly who: Identifiers
  readonly email: string | null | undefined
  readonly mobile: string | null | undefined
  readonly attributes: JsonObject
  /** The type of each attribute, in the order of the keys. */
  readonly types: readonly AttributeType[]
  /** Attributes to take away. */
  readonly removed: readonly string[]
  readonly tags: TagChange | null
}
