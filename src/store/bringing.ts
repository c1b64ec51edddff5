import type { CopySession } from './connection/copy.ts'
import type { SqlStatement } from './connection/session.ts'
import { type EventNeed, needsOf } from './event-needs.ts'

/** A transaction into which events are brought. `signal` aborts when nobody wants its answer any more. */
export type BringSession = CopySession & { readonly signal?: AbortSignal }

/** Brings events whose rows are dropped into a transaction. */
export type BringEvents = (tx: BringSession, needs: readonly EventNeed[]) => Promise<void>

/** The session, which brings what a statement needs before it runs. Without a way to bring events, no row is ever dropped. */
export function bringing<Session extends BringSession>(tx: Session, bring: BringEvents | undefined): Session {
  if (bring === undefined) return tx
  return {
    ...tx,
    query: async <Row extends object>(statement: SqlStatement, values: readonly unknown[] = []) => {
      const needs = needsOf(values)
      if (needs.length === 0) return tx.query<Row>(statement, values)
      await bring(tx, needs)
      // A statement with a name remembers which table `events` was when it was planned.
      return tx.query<Row>(typeof statement === 'string' ? statement : statement.text, values)
    },
  }
}
