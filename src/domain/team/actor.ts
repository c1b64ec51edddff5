import type { KeyKind } from '../../rules/brand.ts'
import type { TeamRole } from '../../rules/team.ts'
import { unreachable } from '../unreachable.ts'

/** The author of a request: an API key, or a member with a session. */
export type Actor = KeyActor | MemberActor

export type KeyActor = { readonly type: 'key'; readonly keyId: number; readonly kind: KeyKind }

export type MemberActor = {
  readonly type: 'member'
  readonly memberId: string
  readonly sessionId: string
  /** The member's role in the brand of the request. */
  readonly role: TeamRole
  /** When the member last proved who they are. */
  readonly confirmedAt: number
}

/** The part of an actor that tells who it is. A member who calls in no brand has no role there. */
export type ActorRef = KeyActor | Pick<MemberActor, 'type' | 'memberId'>

/** The name of an actor as tables and replies have it: `key:12`, `member:<id>`. */
export function actorName(actor: ActorRef): string {
  switch (actor.type) {
    case 'key':
      return `key:${actor.keyId}`
    case 'member':
      return `member:${actor.memberId}`
    default:
      return unreachable(actor)
  }
}
