import type { Db } from '../db.ts'
import { SESSION_LOCKS } from '../session-locks.ts'

/**
 * From now on no file of events is removed, until the session ends or `useFilesNoLonger`. Two kinds of sessions need it: one that reads the
 * files of the list as it was in its snapshot, which it opens after this, and one that makes files, before it lists them.
 */
export async function useFiles(session: Db): Promise<void> {
  await session.query('select pg_advisory_lock_shared($1, $2)', SESSION_LOCKS.eventFilesInUse)
}

export async function useFilesNoLonger(session: Db): Promise<void> {
  await session.query('select pg_advisory_unlock_shared($1, $2)', SESSION_LOCKS.eventFilesInUse)
}

/**
 * Whether no session uses files that are on no list. Then none begins to before the transaction ends, so files that are on no list in this
 * transaction can be removed, also after it: no later snapshot lists them, and no later file has one of their names.
 */
export async function areFilesUnused(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ isUnused: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as "isUnused"',
    SESSION_LOCKS.eventFilesInUse,
  )
  return rows[0]?.isUnused === true
}
