import type { Database } from '../db.ts'

/**
 * Marks a code of the authenticator app as used, and returns whether it was new. A code is valid for a minute and a
 * half; a row that is older than ten minutes belongs to another code with the same digits.
 */
export async function useCode(
  database: Database,
  { memberId, code, now }: { readonly memberId: string; readonly code: string; readonly now: number },
): Promise<boolean> {
  const { count } = await database.team.query(
    `insert into member_used_codes as used (member_id, code, used_at) values ($1, $2, $3)
     on conflict (member_id, code) do update set used_at = excluded.used_at
     where used.used_at < excluded.used_at - interval '10 minutes'`,
    [memberId, code, new Date(now)],
  )
  return count === 1
}
