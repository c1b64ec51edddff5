import { createHash } from 'node:crypto'
import { fault } from '../domain/fault.ts'
import { accept, type Result, reject } from '../domain/result.ts'
import { unreachable } from '../domain/unreachable.ts'
import { LIMITS } from '../rules/limits.ts'
import type { Db } from '../store/db.ts'
import { type OnceOutcome, type ReplySubject, runOnce } from '../store/idempotency.ts'
import type { Deps } from './deps.ts'
import { type Reply, refuse } from './reply.ts'
import type { OpenRequest, TenantRequest } from './request.ts'

export type OnceOptions = {
  /** Makes the reply that is stored for a replay; a secret is left out of it. */
  readonly keep?: (reply: Reply) => Reply
  /** The device or the person that the reply is about; asked when the work is done. */
  readonly about?: () => ReplySubject | null
}

/**
 * Does the work in one transaction of the caller's brand and gives its reply. With an Idempotency-Key the reply
 * is stored in that same transaction, so a repeated request finds either both or neither (decisions §2).
 */
export async function replyOnce(
  deps: Deps,
  request: TenantRequest,
  work: (tx: Db) => Promise<Reply>,
  { keep = (reply) => reply, about = () => null }: OnceOptions = {},
): Promise<Reply> {
  const { brandId } = request.caller
  const { idempotency } = request
  if (idempotency === null) return deps.database.asCaller(request, work)

  let fresh: Reply | null = null
  const once = { brandId, now: deps.clock.now(), ...idempotency }
  const outcome = await deps.database.asCaller(request, async (tx) =>
    runOnce<Reply>(tx, once, async () => {
      fresh = await work(tx)
      return { reply: keep(fresh), isKept: fresh.status < 400, about: about() }
    }),
  )
  return fresh ?? replyAgain(outcome)
}

/** A row takes the header only where it says so; elsewhere it means nothing and is left alone. */
export function parseIdempotencyKey(headers: OpenRequest['headers']): Result<string | null> {
  const value = headers[HEADER]
  if (value === undefined) return accept(null)
  if (typeof value === 'string' && KEY.test(value)) return accept(value)
  const detail = `it must be 1 to ${LIMITS.idempotencyKeyCharsMax} visible ASCII characters`
  return reject(fault('field_invalid', HEADER, { detail }))
}

const HEADER = 'idempotency-key'
const KEY = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyCharsMax}}$`)

/** Everything that makes two requests the same. Lengths stand before the parts, so that none can run into the next. */
export function hashRequest(request: Omit<OpenRequest, 'body' | 'network'>, body: Uint8Array): Uint8Array {
  const address = JSON.stringify([
    request.method,
    request.path,
    Object.entries(request.params),
    String(request.query),
  ])
  return createHash('sha256').update(`${address.length} ${address}`).update(body).digest()
}

function replyAgain(outcome: OnceOutcome<Reply>): Reply {
  switch (outcome.kind) {
    case 'done':
      return outcome.reply
    case 'replay':
      return { ...outcome.reply, headers: { ...outcome.reply.headers, 'idempotency-replayed': 'true' } }
    case 'running':
      return refuse({ faults: [fault('idempotency_running')] })
    case 'mismatch':
      return refuse({ faults: [fault('idempotency_mismatch')] })
    default:
      return unreachable(outcome)
  }
}
