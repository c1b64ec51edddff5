import type { ClientBase, PoolClient } from 'pg'
import { errorCode } from '../../runtime/errors.ts'
import { ask } from './ask.ts'
import { type CommitMark, isCommitLost, type LostCommit } from './commit-marks.ts'

/** A connection, or an open transaction, that runs SQL. `Db` is its name everywhere else. */
export type SqlSession = {
  query<Row extends object>(statement: SqlStatement, values?: readonly unknown[]): Promise<SqlRows<Row>>
}

/** A statement with a name is planned once for each connection, which pays where it runs with every request. */
export type SqlStatement = string | { readonly name: string; readonly text: string }

export type SqlRows<Row> = { readonly rows: readonly Row[]; readonly count: number }

type Begun = {
  readonly client: PoolClient
  readonly begin: string
  /** Null where nothing is written. */
  readonly mark: CommitMark | null
}

/** `lost`: the answer to the commit did not come, and `commit` can be looked up. */
export type TransactionEnd<Value> =
  | { readonly kind: 'committed'; readonly value: Value }
  | { readonly kind: 'lost'; readonly value: Value; readonly commit: LostCommit; readonly cause: unknown }

export async function transactOnce<Value>(
  { client, begin, mark }: Begun,
  work: (tx: SqlSession) => Promise<Value>,
  onCommit: (tookMs: number) => void,
): Promise<TransactionEnd<Value>> {
  try {
    await ask(client, { text: mark?.begin(begin) ?? begin })
    const value = await work({
      query: async (statement, values = []) => runStatement(client, statement, values),
    })
    const endedAt = performance.now()
    const cause = await commitOnce(client, mark)
    if (cause !== null && mark !== null) return { kind: 'lost', value, commit: mark.last, cause }
    onCommit(performance.now() - endedAt)
    return { kind: 'committed', value }
  } catch (cause) {
    // The transaction must end before the pool lends its connection again. If the rollback fails, the connection still
    // is in the transaction, and `borrow` drops it.
    await ask(client, { text: 'rollback' }).catch(() => undefined)
    throw cause
  }
}

/** Null when the commit is known to have happened; else the error that hides its outcome. */
async function commitOnce(client: PoolClient, mark: CommitMark | null): Promise<unknown> {
  try {
    const answer: unknown = await ask(client, { text: mark?.commit() ?? 'commit' })
    // Several statements in one trip have several results.
    const last: unknown = Array.isArray(answer) ? answer.at(-1) : answer
    if (isCommitted(last)) return null
  } catch (cause) {
    if (mark !== null && isCommitLost(cause)) {
      client.connection.stream.destroy()
      return cause
    }
    if (errorCode(cause) !== ABORTED) throw cause
  }
  throw new Error('rolled back: a statement failed and its error was swallowed')
}

function isCommitted(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'command' in result && result.command === 'COMMIT'
}

/** A statement of the transaction failed before. */
const ABORTED = '25P02'

export async function runStatement<Row extends object>(
  target: ClientBase,
  statement: SqlStatement,
  values: readonly unknown[],
): Promise<SqlRows<Row>> {
  const named = typeof statement === 'string' ? { text: statement } : statement
  const { rows, rowCount } = await ask<Row>(target, { ...named, values: [...values] })
  return { rows, count: rowCount ?? 0 }
}
