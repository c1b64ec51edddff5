import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { systemSleep } from '../../runtime/clock.ts'
import { errorCode } from '../../runtime/errors.ts'
import { type Backoff, backoffMs } from '../../runtime/loop/backoff.ts'
import { COMMIT_UNKNOWN, isAway, isUnavailable } from '../unavailable.ts'

/** The part of the database that a look needs. */
type Sql = {
  readonly query: (text: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly object[] }>
}

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
export async function confirmCommit(db: Sql, commit: LostCommit, cause: unknown): Promise<void> {
  const giveUpAt = performance.now() + LOOK_MAX_MS
  for (let attempt = 1; ; attempt += 1) {
    const isDone = await lookUp(db, commit).catch((broken: unknown) => {
      if (!isUnavailable(broken)) throw broken
      return null
    })
    if (isDone === true) return
    if (isDone === false) throw new CommitUndone('the connection broke before the commit', { cause })
    if (performance.now() > giveUpAt) throw new CommitUnknown('the outcome of a commit is unknown', { cause })
    await systemSleep(backoffMs(AGAIN, attempt, Math.random()), NEVER)
  }
}

/** A lost machine is replaced within about 35 seconds. */
const LOOK_MAX_MS = 45_000
const AGAIN: Backoff = { minMs: 50, maxMs: 1_000 }
const NEVER = new AbortController().signal

async function lookUp(db: Sql, { session, serial }: LostCommit): Promise<boolean> {
  const { rows } = await db.query(
    `insert into commit_marks as m (session, serial, is_fenced) values ($1, 0, true)
     on conflict (session) do update set serial = case when m.serial < $2 then 0 else m.serial end,
       is_fenced = m.serial < $2, marked_at = clock_timestamp()
     returning not is_fenced as "isDone"`,
    [session, serial],
  )
  const [row] = rows
  return row !== undefined && 'isDone' in row && row.isDone === true
}
