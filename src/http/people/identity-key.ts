import { randomBits } from '../../runtime/secrets/crypto.ts'
import { IDENTITY_SECRET, saveSecret } from '../../store/secrets.ts'
import type { Deps } from '../deps.ts'
import { type Reply, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'

/** POST /api/v1/brand/identity-key: shown once; the one before no longer proves anything. */
export async function makeIdentityKey(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const { brandId } = caller
  const plaintext = Buffer.from(randomBits(KEY_BYTES)).toString('base64url')
  const now = deps.clock.now()
  await deps.database.asBrand(brandId, async (tx) =>
    saveSecret(tx, deps.sealer, { brandId, kind: IDENTITY_SECRET, plaintext, now }),
  )
  return replySuccess({ identity_key: plaintext })
}

const KEY_BYTES = 32

export const IDENTITY_KEY_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/brand/identity-key',
    group: 'Brand',
    summary: 'Makes the key with which your server vouches for its users',
    description:
      'Your server gives a page user_hash, the HMAC-SHA256 of the userID with this key in hexadecimal; then nobody can claim to be somebody else. Set identity_verification on the brand to insist on it. The key is shown this once, and replaces the one before.',
    scopes: ['brand'],
    body: 'none',
    reply: Type.Object({ identity_key: Type.String() }),
    handler: makeIdentityKey,
  },
]
