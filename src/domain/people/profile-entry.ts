import type { AttributeShape } from '../events/attributes.ts'
import type { TagChange } from '../subscriptions/subscription.ts'
import type { JsonObject } from '../values/json.ts'
import type { Identifiers } from './identifiers.ts'

/** One profile to be made or changed. An undefined field stays as it is; null takes its value away. */
export type ProfileEntry = {
  /** Its position in the call, for the reply. */
  readonly index: number
  /** The identifiers by which the person is found. */
  readonly who: Identifiers
  readonly email: string | null | undefined
  readonly mobile: string | null | undefined
  readonly attributes: JsonObject
  readonly shape: AttributeShape
  /** Attributes to take away. */
  readonly removed: readonly string[]
  readonly tags: TagChange | null
}
