import { VISITOR_LIMITS } from '../../rules/people.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'

/** A name for a browser that nobody can guess. */
export function newVisitorId(): string {
  return Buffer.from(randomBits(VISITOR_LIMITS.idBytes)).toString('base64url')
}
