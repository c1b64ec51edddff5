import type { ClientBase, PoolClient } from 'pg'
import { ask } from './ask.ts'

/** A connection, or an open transaction, that runs SQL. `Db` is its name everywhere else. */
export type SqlSession = {
  query<Row extends object>(statement: SqlStatement, values?: readonly unknown[]): Promise<SqlRows<Row>>
}

/** A statement with a name is planned once for each connection, which pays where it runs with every request. */
export type SqlStatement = string | { readonly name: string; readonly text: string }

export type SqlRows<Row> = { readonly rows: readonly Row[]; readonly count: number }

type Begun = { readonly client: PoolClient; readonly begin: string }

export async function transactOnce<Value>(
  { client, begin }: Begun,
  work: (tx: SqlSession) => Promise<Value>,
  onCommit: (tookMs: number) => void,
): Promise<Value> {
  try {
    await ask(client, { text: begin })
    const value = await work({
      query: async (statement, values = []) => runStatement(client, statement, values),
    })
    const endedAt = performance.now()
    const { command } = await ask(client, { text: 'commit' })
    onCommit(performance.now() - endedAt)
    if (command !== 'COMMIT') throw new Error('rolled back: a statement failed and its error was swallowed')
    return value
  } catch (cause) {
    // The transaction must end before the pool lends its connection again. If the rollback fails, the connection still
    // is in the transaction, and `borrow` drops it.
    await ask(client, { text: 'rollback' }).catch(() => undefined)
    throw cause
  }
}

export async function runStatement<Row extends object>(
  target: ClientBase,
  statement: SqlStatement,
  values: readonly unknown[],
): Promise<SqlRows<Row>> {
  const named = typeof statement === 'string' ? { text: statement } : statement
  const { rows, rowCount } = await ask<Row>(target, { ...named, values: [...values] })
  return { rows, count: rowCount ?? 0 }
}
