import { openLink, redeemLink } from '../../intake/team/links.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import type { MemberLink } from '../../store/team/links.ts'
import type { Deps } from '../deps.ts'
import { type Html, html } from '../reference/html.ts'
import { renderPage } from '../reference/page.ts'
import { PAGE_HEADERS } from '../reference/style.ts'
import { type Reply, type ReplyHeaders, refuse, replyText } from '../reply.ts'
import { type OpenRequest, param } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { LINK_BODY } from './body.ts'
import { checkOrigin } from './session-cookie.ts'
import { signInWith } from './sign-in.ts'

/** GET /auth/link/{token}: asks for a password. Looking at the page does not use the link. */
export async function showLinkPage(deps: Deps, request: OpenRequest): Promise<Reply> {
  const link = await openLink(deps.database, param(request, 'token'), deps.clock.now())
  return link === null ? replyDead() : replyPage('Set your password', renderForm(link, ''))
}

/** POST /auth/link/{token}: the form of that page, or the same fields as JSON. It sets the password and signs in. */
export async function usePageLink(deps: Deps, request: OpenRequest): Promise<Reply> {
  const origin = checkOrigin(deps.team, request)
  if (!origin.ok) return refuse(origin.rejection)
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const token = param(request, 'token')
  const now = deps.clock.now()
  const link = await openLink(deps.database, token, now)
  if (link === null) return replyDead()
  const given = Object.fromEntries([...form].filter(([, value]) => value !== ''))
  const parsed = parseBody(LINK_BODY, given)
  if (!parsed.ok) return replyPage('Set your password', renderForm(link, parsed.rejection.faults[0].message))
  const { email = null, name = null, password } = parsed.value.value
  const { database, team } = deps
  const redeemed = await redeemLink(
    { database, passwords: team.passwords },
    { token, password, email, name, now, request },
  )
  if (!redeemed.ok) {
    const [flaw] = redeemed.rejection.faults
    return flaw.code === 'link_invalid'
      ? replyDead()
      : replyPage('Set your password', renderForm(link, flaw.message))
  }
  const signedIn = await signInWith(deps, request, { email: redeemed.value.email, password })
  const { cookies = [] } = signedIn
  const to = cookies.length === 0 ? '/sign-in' : '/'
  return { status: 303, body: null, headers: { ...HEADERS, location: to }, cookies }
}

function renderForm({ memberId, email, name }: MemberLink, flaw: string): Html {
  const { passwordCharsMin, passwordCharsMax, emailCharsMax, nameCharsMax } = SIGN_IN
  const who =
    memberId === null
      ? html`<p><label for="email">Your e-mail address</label>
          <input id="email" name="email" type="email" autocomplete="username" required maxlength="${String(emailCharsMax)}"></p>
        <p><label for="name">Your name</label>
          <input id="name" name="name" autocomplete="name" maxlength="${String(nameCharsMax)}"></p>`
      : html`<p>${name === null || name === '' ? 'Hello' : `Hello ${name}`}, this link is for ${email ?? ''}.</p>`
  return html`<main class="card">
    <h1>Set your password</h1>
    ${flaw === '' ? '' : html`<p role="alert">${flaw}</p>`}
    <form method="post">
      ${who}
      <p><label for="password">A password of ${String(passwordCharsMin)} characters or more</label>
        <input id="password" name="password" type="password" autocomplete="new-password" required
          minlength="${String(passwordCharsMin)}" maxlength="${String(passwordCharsMax)}"></p>
      <button type="submit">Set the password and sign in</button>
    </form>
  </main>`
}

const HTML_TYPE = 'text/html; charset=utf-8'

/** The address is a key, so nothing may store it or send it on. */
const HEADERS: ReplyHeaders = {
  ...PAGE_HEADERS,
  'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex',
}

function replyPage(title: string, body: Html): Reply {
  return replyText(renderPage(title, body), HTML_TYPE, HEADERS)
}

function replyDead(): Reply {
  const body = html`<main class="card"><h1>This link is not valid any more</h1>
    <p>It was used before, or is too old. Ask for a new one where you got it.</p></main>`
  return { ...replyPage('Link not valid', body), status: 404 }
}
