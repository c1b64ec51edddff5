import { keyHint } from '../../domain/brand/api-key.ts'
import type { KeyKind, Scope } from '../../rules/brand.ts'
import { sha256 } from '../../runtime/secrets/crypto.ts'
import type { Db } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'
import { IS_KEPT } from './brand-state.ts'

/** A key as people may see it. Its plaintext exists only at the moment when it is made. */
export type ApiKey = {
  readonly id: number
  readonly kind: KeyKind
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly label: string
  readonly createdAt: number
  readonly revokedAt: number | null
}

export type KeyDraft = {
  readonly brandId: number
  readonly kind: KeyKind
  readonly plaintext: string
  readonly scopes: readonly Scope[]
  readonly label: string
  readonly now: number
}

/** Stores a new key as its hash. The caller shows the plaintext once and forgets it. */
export async function createKey(db: Db, draft: KeyDraft): Promise<ApiKey> {
  const { rows } = await db.query<ApiKey>(`${INSERT} returning ${COLUMNS}`, insertValues(draft))
  const [key] = rows
  if (key === undefined) throw new Error('an inserted key came back without a row')
  return key
}

/** `taken`: the same text is already a key of another brand or another kind. */
export type EnsuredKey = 'made' | 'present' | 'revoked' | 'taken'

/**
 * Makes a key whose text the operator chose, if it is not there yet. A revoked key stays revoked: a restart does not
 * give back what a person took away.
 */
export async function ensureKey(db: Db, draft: KeyDraft): Promise<EnsuredKey> {
  const { count } = await db.query(`${INSERT} on conflict (hash) do nothing`, insertValues(draft))
  if (count === 1) return 'made'
  const { rows } = await db.query<{ isSame: boolean; isRevoked: boolean }>(
    `select brand_id = $2 and kind = $3 as "isSame", revoked_at is not null as "isRevoked"
     from api_keys where hash = $1`,
    [sha256(draft.plaintext), draft.brandId, draft.kind],
  )
  const [found] = rows
  if (found?.isSame !== true) return 'taken'
  return found.isRevoked ? 'revoked' : 'present'
}

/** Everything that a request needs to know about its key. */
export type KeyFacts = {
  readonly keyId: number
  readonly brandId: number
  readonly brandExternalId: string
  readonly kind: KeyKind
  readonly scopes: readonly Scope[]
  readonly allowedOrigins: readonly string[]
  /** Settings of the brand that decide how a request is read. */
  readonly timeZone: string
  readonly profileMerging: boolean
  /** Of a brand that is deleted and can be restored; null for a live brand. */
  readonly restorableUntil: number | null
}

/** The live key with this hash, also of a brand that can be restored. The lookup is across brands, because the key is what names the brand. */
export async function findKey(db: Db, hash: Uint8Array): Promise<KeyFacts | null> {
  const { rows } = await db.query<KeyFacts>(
    `select api_keys.id as "keyId", api_keys.brand_id as "brandId", brands.external_id as "brandExternalId",
       api_keys.kind, api_keys.scopes, brands.allowed_origins as "allowedOrigins",
       brands.time_zone as "timeZone", brands.profile_merging as "profileMerging",
       brands.restorable_until as "restorableUntil"
     from api_keys join brands on brands.id = api_keys.brand_id and ${IS_KEPT}
     where api_keys.hash = $1 and api_keys.revoked_at is null`,
    [hash],
  )
  return rows[0] ?? null
}

/** Whether a key is live, and stays so until the transaction ends. */
export async function lockLiveKey(
  tx: Db,
  { brandId, keyId }: { readonly brandId: number; readonly keyId: number },
): Promise<boolean> {
  const { count } = await tx.query(
    'select from api_keys where brand_id = $1 and id = $2 and revoked_at is null for share',
    [brandId, keyId],
  )
  return count === 1
}

/** A page of one brand's keys, revoked ones too, in the order they were made. */
export async function listKeys(
  db: Db,
  page: { readonly brandId: number; readonly afterId: number; readonly limit: number },
): Promise<readonly ApiKey[]> {
  const { rows } = await db.query<ApiKey>(
    `select ${COLUMNS} from api_keys where brand_id = $1 and id > $2 order by id limit $3`,
    [page.brandId, page.afterId, page.limit],
  )
  return rows
}

/** Revokes a key for good, and returns whether it was live. A second call keeps the time of the first. */
export async function revokeKey(
  db: Db,
  key: { readonly brandId: number; readonly keyId: number; readonly now: number },
): Promise<boolean> {
  const { count } = await db.query(
    'update api_keys set revoked_at = $3 where brand_id = $1 and id = $2 and revoked_at is null',
    [key.brandId, key.keyId, new Date(key.now)],
  )
  if (count === 1) await notifyKeysGone(db)
  return count === 1
}

const COLUMNS = `id, kind, hint, scopes, label, created_at as "createdAt", revoked_at as "revokedAt"`

const INSERT = `insert into api_keys (brand_id, kind, hash, hint, scopes, label, created_at)
  values ($1, $2, $3, $4, $5, $6, $7)`

function insertValues(draft: KeyDraft): readonly unknown[] {
  const { brandId, kind, plaintext, scopes, label, now } = draft
  return [brandId, kind, sha256(plaintext), keyHint(kind, plaintext), scopes, label, new Date(now)]
}
