import { sha256 } from '../../runtime/secrets/crypto.ts'
import type { Sealed, Sealer } from '../../runtime/secrets/sealed.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** A token that proves to a provider who we are, with its times. */
export type ProviderToken = {
  readonly value: string
  readonly mintedAt: number
  readonly renewAt: number
  readonly expiresAt: number
}

/**
 * A stored token. A token that was sealed with an older secret counts as missing, and a new one is minted. Run it as
 * the engine.
 */
export async function loadToken(db: Db, sealer: Sealer, name: string): Promise<ProviderToken | null> {
  const { rows } = await db.query<SealedToken>(
    `select key_id as "keyId", nonce, ciphertext, minted_at as "mintedAt", renew_at as "renewAt",
       expires_at as "expiresAt"
     from provider_tokens where name = $1 and key_id = $2`,
    [name, sealer.keyId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { mintedAt, renewAt, expiresAt } = row
  return { value: sealer.open(row, placeOf(name)), mintedAt, renewAt, expiresAt }
}

export type TokenChange = {
  readonly name: string
  readonly token: ProviderToken
  /** The value that the new token replaces; null when there was none. */
  readonly replaced: string | null
}

/** Stores a token unless another process was first, and gives the stored one. Run it as the engine. */
export async function saveToken(db: Db, sealer: Sealer, change: TokenChange): Promise<ProviderToken> {
  const { name, token, replaced } = change
  const { keyId, nonce, ciphertext } = sealer.seal(token.value, placeOf(name))
  const { count } = await db.query(
    `insert into provider_tokens as kept (name, value_hash, key_id, nonce, ciphertext, minted_at, renew_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (name) do update
     set value_hash = excluded.value_hash, key_id = excluded.key_id, nonce = excluded.nonce,
       ciphertext = excluded.ciphertext, minted_at = excluded.minted_at, renew_at = excluded.renew_at,
       expires_at = excluded.expires_at
     where kept.value_hash = $9 or kept.key_id <> excluded.key_id`,
    [
      name,
      sha256(token.value),
      keyId,
      nonce,
      ciphertext,
      new Date(token.mintedAt),
      new Date(token.renewAt),
      new Date(token.expiresAt),
      replaced === null ? null : sha256(replaced),
    ],
  )
  return count === 1 ? token : ((await loadToken(db, sealer, name)) ?? token)
}

type SealedToken = Sealed & Omit<ProviderToken, 'value'>

/** The key of a token among the secrets. A token belongs to no brand: 0. */
function placeOf(name: string) {
  return { brandId: 0, kind: `token ${name}` }
}

/** Deletes expired tokens. Run it as the engine. */
export async function purgeTokens(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `delete from provider_tokens
     where name in (select name from provider_tokens where expires_at < $1 limit $2)`,
    [new Date(now), rowsMax],
  )
  return count
}
