import { fault } from '../../domain/fault.ts'
import { DEMO_BRAND, DEMO_SHOPPER } from '../../rules/brand.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import { userHash } from '../../runtime/secrets/user-hash.ts'
import type { Db } from '../../store/db.ts'
import { lockIdentities } from '../../store/people/identities.ts'
import { IDENTITY_SECRET, loadSealedSecret, saveSecret } from '../../store/secrets.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'

/**
 * The part of the demo shop that runs on its server: it logs in its only customer, and signs her user id with the
 * identity key, as the server of every site does. Nobody else, and no other brand, is signed here.
 */
async function loginDemo(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const { brandId, brandExternalId } = caller
  if (brandExternalId !== DEMO_BRAND) return refuse({ faults: [fault('not_found')] })
  const key = await deps.database.asSystem(brandId, async (tx) => ensureIdentityKey(tx, deps, brandId))
  return replySuccess({ user_hash: userHash(key, DEMO_SHOPPER) })
}

/** The lock lets one of two first logins make the key. */
async function ensureIdentityKey(tx: Db, { sealer, clock }: Deps, brandId: number): Promise<string> {
  const place = { brandId, kind: IDENTITY_SECRET }
  const known = await loadSealedSecret(tx, sealer, place)
  if (known !== null) return known
  await lockIdentities(tx, brandId)
  const made = await loadSealedSecret(tx, sealer, place)
  if (made !== null) return made
  const plaintext = Buffer.from(randomBits(KEY_BYTES)).toString('base64url')
  await saveSecret(tx, sealer, { ...place, plaintext, now: clock.now() })
  return plaintext
}

const KEY_BYTES = 32

export const DEMO_LOGIN: Route = {
  method: 'POST',
  path: '/demo/login',
  group: 'Reference',
  summary: 'Log in at the demo shop',
  description: `Signs the user ${DEMO_SHOPPER} of the brand ${DEMO_BRAND} for the page at /demo. It signs nobody else: the server of a site does this by itself, with its identity key.`,
  scopes: ['track'],
  rateLimit: 'visitor',
  body: 'none',
  reply: Type.Object({ user_hash: Type.String() }),
  refusals: ['not_found'],
  handler: loginDemo,
}
