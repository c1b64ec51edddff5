import type { Sealed, Sealer, SealPlace } from '../runtime/secrets/sealed.ts'
import type { Db } from './db.ts'

export type SecretDraft = SealPlace & { readonly plaintext: string; readonly now: number }

/** The kind of the secret that a brand's server uses to prove its users' identities. */
export const IDENTITY_SECRET = 'identity'

/** Stores a secret, in place of the former one. It takes the sealer, so that no secret can be stored unsealed. */
export async function saveSecret(db: Db, sealer: Sealer, draft: SecretDraft): Promise<void> {
  const { keyId, nonce, ciphertext } = sealer.seal(draft.plaintext, draft)
  await db.query(
    `insert into sealed_secrets (brand_id, kind, key_id, nonce, ciphertext, updated_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (brand_id, kind) do update
     set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
         updated_at = excluded.updated_at`,
    [draft.brandId, draft.kind, keyId, nonce, ciphertext, new Date(draft.now)],
  )
}

export async function loadSealedSecret(db: Db, sealer: Sealer, place: SealPlace): Promise<string | null> {
  const { rows } = await db.query<Sealed>(
    `select key_id as "keyId", nonce, ciphertext from sealed_secrets where brand_id = $1 and kind = $2`,
    [place.brandId, place.kind],
  )
  const [row] = rows
  return row === undefined ? null : sealer.open(row, place)
}

export async function deleteSecret(db: Db, place: SealPlace): Promise<boolean> {
  const { count } = await db.query('delete from sealed_secrets where brand_id = $1 and kind = $2', [
    place.brandId,
    place.kind,
  ])
  return count === 1
}

/** The number of secrets that none of these keys opens: the secret of Beckon was lost, or it is the one of another. */
export async function countLostSecrets(db: Db, keyIds: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ lost: number }>(
    'select count(*)::integer as lost from sealed_secrets where key_id <> all ($1)',
    [keyIds],
  )
  return rows[0]?.lost ?? 0
}

/** Deletes the secrets that no key opens, and returns their rows. A channel whose credential is lost has none. */
export async function deleteLostSecrets(tx: Db, keyIds: readonly string[]): Promise<readonly SealPlace[]> {
  const { rows } = await tx.query<SealPlace>(
    `with lost as (
       delete from sealed_secrets where key_id <> all ($1) returning brand_id, kind
     ), gone as (
       delete from channels using lost
       where channels.brand_id = lost.brand_id and lost.kind = 'channel ' || channels.platform
     )
     select brand_id as "brandId", kind from lost`,
    [keyIds],
  )
  return rows
}

/**
 * Seals up to `rowsMax` old rows with the newest key and returns their number, after a change of BECKON_SECRET. Run it
 * in one transaction each until it returns 0; then the old secret can be thrown away.
 */
export async function resealSecrets(tx: Db, sealer: Sealer, rowsMax: number): Promise<number> {
  const { rows } = await tx.query<Sealed & SealPlace>(
    `select brand_id as "brandId", kind, key_id as "keyId", nonce, ciphertext from sealed_secrets
     where key_id <> $1 limit $2 for update skip locked`,
    [sealer.keyId, rowsMax],
  )
  for (const row of rows) {
    const { keyId, nonce, ciphertext } = sealer.seal(sealer.open(row, row), row)
    await tx.query(
      'update sealed_secrets set key_id = $3, nonce = $4, ciphertext = $5 where brand_id = $1 and kind = $2',
      [row.brandId, row.kind, keyId, nonce, ciphertext],
    )
  }
  return rows.length
}
