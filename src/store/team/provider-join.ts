import type { SignInRequest } from '../author.ts'
import { memberAuthor } from '../brand/audit.ts'
import type { Database } from '../db.ts'
import { removeFactors } from './passkeys.ts'
import { removeSessions } from './sessions.ts'

/**
 * Removes the ways to sign in as a member that were set up before the identity provider signed the member in for the
 * first time. Only the provider proves whose address it is: a link was shown to the owner who made it, and may have been
 * used by them. An administrator keeps everything, because no owner ever has a link of an administrator.
 */
export async function leaveOnlyProvider(
  database: Database,
  { memberId, request }: { readonly memberId: string; readonly request: SignInRequest },
): Promise<void> {
  await database.asTeam(
    async (tx) => {
      const { count } = await tx.query(
        'select from members where id = $1 and not is_administrator for update',
        [memberId],
      )
      if (count === 0) return
      await tx.query(`delete from member_accounts where member_id = $1 and provider_id = 'credential'`, [
        memberId,
      ])
      await removeFactors(tx, memberId)
      await removeSessions(tx, memberId)
    },
    memberAuthor(request, memberId),
  )
}
