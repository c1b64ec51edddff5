import { linkUrl } from '../../intake/team/links.ts'
import type { Invited } from '../../intake/team/members.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { reasonOf } from '../../runtime/errors.ts'
import type { Deps } from '../deps.ts'

/** Mails a link to its member, if there is a mail server. A mail that fails is logged; the inviter has the link too. */
export async function mailLink({ team, log }: Deps, { member, link }: Invited): Promise<boolean> {
  const { sendMail, url } = team
  if (sendMail === null || link === null) return false
  const text = [
    'Somebody has invited you to Beckon, or made a new link for you.',
    'Open it here:',
    '',
    linkUrl(url, link),
    '',
    `The link works once, for ${SIGN_IN.linkHours} hours. If you expect no such mail, ignore it.`,
  ].join('\n')
  try {
    await sendMail({ to: member.email, subject: 'Your link to Beckon', text })
    return true
  } catch (cause) {
    // The invitation holds without the mail, and the reply says that there was none.
    // The error itself is not logged: a mail server that is silent fails like a database, and would begin an outage of it.
    log.warn('a mail to a member was not sent', { member: member.id, reason: reasonOf(cause) })
    return false
  }
}
