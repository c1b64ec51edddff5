import type { AuthoredRequest } from '../author.ts'
import type { Database, Db } from '../db.ts'

/** A passkey as its member may see it. */
export type Passkey = { readonly id: string; readonly name: string | null; readonly createdAt: number | null }

export async function listPasskeys(database: Database, memberId: string): Promise<readonly Passkey[]> {
  const { rows } = await database.team.query<Passkey>(
    `select id, name, created_at as "createdAt" from member_passkeys where member_id = $1 order by created_at, id
     limit 100`,
    [memberId],
  )
  return rows
}

/** Removes a passkey of a member, and returns whether there was one. */
export async function removePasskey(
  database: Database,
  {
    memberId,
    passkeyId,
    author,
  }: { readonly memberId: string; readonly passkeyId: string; readonly author: AuthoredRequest },
): Promise<boolean> {
  return database.asTeam(async (tx) => {
    const { count } = await tx.query('delete from member_passkeys where member_id = $1 and id = $2', [
      memberId,
      passkeyId,
    ])
    return count === 1
  }, author)
}

/** Removes all passkeys of a member. */
export async function removePasskeys(tx: Db, memberId: string): Promise<void> {
  await tx.query('delete from member_passkeys where member_id = $1', [memberId])
}

/** Removes everything that a member signs in with beside the password. */
export async function removeFactors(tx: Db, memberId: string): Promise<void> {
  await removePasskeys(tx, memberId)
  await tx.query('delete from member_two_factors where member_id = $1', [memberId])
  await tx.query('update members set two_factor_enabled = false where id = $1', [memberId])
}
