import { encodeJson } from '../domain/values/json.ts'
import { LIMITS } from '../rules/limits.ts'
import type { Db } from './db.ts'

export type OnceRequest = {
  readonly brandId: number
  readonly key: string
  /** A hash of everything that makes two requests equal: method, path and body. */
  readonly requestHash: Uint8Array
  readonly now: number
}

/** The device and the person that a reply is about. Erasing the person deletes the reply. */
export type ReplySubject = { readonly subscriptionId: bigint | null; readonly profileId: bigint | null }

/** The result of the work. A refusal is not kept, so that the caller can correct the request under the same key. */
export type Answer<Reply> = {
  readonly reply: Reply
  readonly isKept: boolean
  readonly about?: ReplySubject | null
}

export type OnceOutcome<Reply> =
  | { readonly kind: 'done' | 'replay'; readonly reply: Reply }
  | { readonly kind: 'running' }
  | { readonly kind: 'mismatch' }

/**
 * Does the work at most once for a key in 24 hours. The reply is stored in the transaction of the work, so either both
 * exist or neither. The lock ends with that transaction, so a killed process leaves nothing behind. The row is read
 * after the attempt to lock: if the lock is free and there is no row, the work was never done; if the lock is taken
 * and there is a row, the other session only reads it.
 */
export async function runOnce<Reply>(
  tx: Db,
  request: OnceRequest,
  work: (tx: Db) => Promise<Answer<Reply>>,
): Promise<OnceOutcome<Reply>> {
  const isLocked = await tryLock(tx, request)
  const earlier = await loadReply<Reply>(tx, request)
  if (earlier !== null)
    return earlier.isSame ? { kind: 'replay', reply: earlier.reply } : { kind: 'mismatch' }
  if (!isLocked) return { kind: 'running' }

  const { reply, isKept, about = null } = await work(tx)
  if (isKept) await saveReply(tx, request, { reply, about })
  return { kind: 'done', reply }
}

async function tryLock(tx: Db, { brandId, key }: OnceRequest): Promise<boolean> {
  const { rows } = await tx.query<{ isLocked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended($2, $1)) as "isLocked"`,
    [brandId, key],
  )
  return rows[0]?.isLocked === true
}

type StoredReply<Reply> = { readonly reply: Reply; readonly isSame: boolean }

async function loadReply<Reply>(tx: Db, request: OnceRequest): Promise<StoredReply<Reply> | null> {
  const { rows } = await tx.query<StoredReply<Reply>>(
    `select reply, request_hash = $3 as "isSame" from idempotency_keys
     where brand_id = $1 and key = $2 and created_at > $4`,
    [request.brandId, request.key, request.requestHash, expiry(request.now)],
  )
  return rows[0] ?? null
}

async function saveReply(
  tx: Db,
  request: OnceRequest,
  { reply, about }: Pick<Answer<unknown>, 'reply' | 'about'>,
): Promise<void> {
  await tx.query(
    `insert into idempotency_keys (brand_id, key, request_hash, reply, created_at, subscription_id, profile_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (brand_id, key) do update
     set request_hash = excluded.request_hash, reply = excluded.reply, created_at = excluded.created_at,
       subscription_id = excluded.subscription_id, profile_id = excluded.profile_id`,
    [
      request.brandId,
      request.key,
      request.requestHash,
      encodeJson(reply),
      new Date(request.now),
      about?.subscriptionId ?? null,
      about?.profileId ?? null,
    ],
  )
}

function expiry(now: number): Date {
  return new Date(now - LIMITS.idempotencyHours * 3_600_000)
}
