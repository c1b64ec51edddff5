import type { Database } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** Tables of members whose rows end: the column that says when, how long a row is kept after that, and its key. */
const ENDING = [
  { table: 'member_sessions', until: 'expires_at', keptMs: 0, key: 'id' },
  { table: 'member_verifications', until: 'expires_at', keptMs: 0, key: 'id' },
  { table: 'member_links', until: 'expires_at', keptMs: 0, key: 'id' },
  { table: 'member_used_codes', until: 'used_at', keptMs: 600_000, key: 'member_id, code' },
] as const

/** Deletes sessions, links and half sign-ins that have ended. */
export async function purgeTeam(database: Database, { now, rowsMax }: PurgeBounds): Promise<number> {
  let removed = 0
  for (const { table, until, keptMs, key } of ENDING) {
    const { count } = await database.team.query(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${until} <= $1 limit $2)`,
      [new Date(now - keptMs), rowsMax],
    )
    removed += count
  }
  return removed
}
