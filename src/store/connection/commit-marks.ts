import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { aborted, systemSleep } from '../../runtime/clock.ts'
import { errorCode } from '../../runtime/errors.ts'
import { type Backoff, backoffMs } from '../../runtime/loop/backoff.ts'
import { COMMIT_UNKNOWN, isAway, isUnavailable } from '../unavailable.ts'
import { ask } from './ask.ts'
import { borrow } from './pool.ts'
import type { PrimaryHosts } from './primary-hosts.ts'

/** Where a look gets its connection. */
type Place = { readonly pool: Pool; readonly hosts: PrimaryHosts }

/** A commit whose answer was lost: the session that sent it, and its number there. */
export type LostCommit = { readonly session: string; readonly serial: number }

/** The commit did not happen and never will, so the transaction may run again. */
export class CommitUndone extends Error {
  readonly code = COMMIT_UNDONE
}

export const COMMIT_UNDONE = 'COMMIT_UNDONE'

/** No server could tell in time what became of a commit. It may have happened, or may still happen. */
export class CommitUnknown extends Error {
  readonly code = COMMIT_UNKNOWN
}

/**
 * Marks the transactions of one connection that write something, so that a commit whose answer is lost can be looked up.
 * Each connection has one row in `commit_marks`, with the number of its last transaction, and every transaction writes
 * its number there in the trip that commits it. A transaction that wrote nothing writes no mark.
 */
export class CommitMark {
  readonly #session = randomUUID()
  #serial = 0
  #isPrepared = false

  /** The statement that begins a transaction; the first one also prepares the mark. */
  begin(text: string): string {
    if (this.#isPrepared) return text
    this.#isPrepared = true
    return `prepare commit_mark (bigint) as insert into commit_marks (session, serial)
      select '${this.#session}'::uuid, $1 where pg_current_xact_id_if_assigned() is not null
      on conflict (session) do update set serial = excluded.serial, marked_at = clock_timestamp(); ${text}`
  }

  /** The statements that commit it. */
  commit(): string {
    this.#serial += 1
    return `execute commit_mark (${this.#serial}); commit`
  }

  get last(): LostCommit {
    return { session: this.#session, serial: this.#serial }
  }
}

const MARKS = new WeakMap<PoolClient, CommitMark>()

export function markOf(client: PoolClient): CommitMark {
  const mark = MARKS.get(client) ?? new CommitMark()
  MARKS.set(client, mark)
  return mark
}

/** Whether an error at a commit leaves open what became of it. An error that the server reports is a rollback. */
export function isCommitLost(cause: unknown): boolean {
  return isAway(cause) && errorCode(cause) !== READ_ONLY
}

const READ_ONLY = '25006'

/**
 * Looks up what became of a commit, for as long as a failover may take. Throws `CommitUndone` if the commit did not happen,
 * and `CommitUnknown` if no server could tell.
 *
 * The look writes: it fences the session, so that a commit which is still on its way can no longer succeed. A commit that
 * is under way has locked the row, and the look waits for its end. So the answer is final, whatever becomes of the
 * server, and after a failover the new server has the mark exactly if it has the transaction.
 */
export async function confirmCommit(place: Place, commit: LostCommit, cause: unknown): Promise<void> {
  const over = AbortSignal.timeout(LOOK_MAX_MS)
  const end = aborted(over).then(() => null)
  for (let attempt = 1; ; attempt += 1) {
    const look = borrow(place, async (client) => lookUntil(over, client, commit))
    // A look may wait for a connection, and it is a commit of its own, which waits for a standby as long as there is none.
    const isDone = await Promise.race([look, end]).catch((broken: unknown) => {
      if (!isUnavailable(broken)) throw broken
      return null
    })
    if (isDone === true) return
    if (isDone === false) throw new CommitUndone('the connection broke before the commit', { cause })
    if (over.aborted) throw new CommitUnknown('the outcome of a commit is unknown', { cause })
    await systemSleep(backoffMs(AGAIN, attempt, Math.random()), over)
  }
}

/** A lost machine is replaced within about 35 seconds. */
const LOOK_MAX_MS = 45_000
const AGAIN: Backoff = { minMs: 50, maxMs: 1_000 }

/** The connection of a look that is late is cut, and nothing is cancelled: the server goes on with the look. */
async function lookUntil(over: AbortSignal, client: PoolClient, commit: LostCommit): Promise<boolean> {
  over.throwIfAborted()
  const cut = (): void => void client.connection.stream.destroy()
  over.addEventListener('abort', cut, { once: true })
  return lookUp(client, commit).finally(() => over.removeEventListener('abort', cut))
}

async function lookUp(client: PoolClient, { session, serial }: LostCommit): Promise<boolean> {
  const { rows } = await ask<{ isDone: boolean }>(client, {
    text: `insert into commit_marks as m (session, serial, is_fenced) values ($1, 0, true)
     on conflict (session) do update set serial = case when m.serial < $2 then 0 else m.serial end,
       is_fenced = m.serial < $2, marked_at = clock_timestamp()
     returning not is_fenced as "isDone"`,
    values: [session, serial],
  })
  return rows[0]?.isDone === true
}
