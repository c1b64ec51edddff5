import { enterByLink, joinByLink, type OpenedLink, openLink, redeemLink } from '../../intake/team/links.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { findSession } from '../../store/team/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Html, html } from '../reference/html.ts'
import { renderPage } from '../reference/page.ts'
import { PAGE_HEADERS } from '../reference/style.ts'
import { type Reply, type ReplyHeaders, refuse, replyText } from '../reply.ts'
import { type OpenRequest, param } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { askLibrary } from './ask-library.ts'
import { LINK_BODY } from './body.ts'
import { checkOrigin, sessionOf } from './session-cookie.ts'
import { signInWith } from './sign-in.ts'

/** GET /auth/link/{token}: asks for a password, or whether to join. Looking at the page does not use the link. */
export async function showLinkPage(deps: Deps, request: OpenRequest): Promise<Reply> {
  const link = await openLink(deps.database, param(request, 'token'), deps.clock.now())
  if (link === null) return replyDead()
  return link.purpose === 'join' ? replyJoin(deps, request, link) : replyForm(link, '')
}

/**
 * POST /auth/link/{token}: a form of that page. The one without fields opens Beckon for the first administrator, or
 * joins a brand with the account that is signed in; the other sets the password and signs in.
 */
export async function usePageLink(deps: Deps, request: OpenRequest): Promise<Reply> {
  const origin = checkOrigin(deps.team, request)
  if (!origin.ok) return refuse(origin.rejection)
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const link = await openLink(deps.database, param(request, 'token'), deps.clock.now())
  if (link === null) return replyDead()
  if (link.purpose === 'join') return join(deps, request, link)
  return form.size === 0 && link.purpose === 'open'
    ? enter(deps, request)
    : setPassword(deps, request, { form, link })
}

/** A link of a brand signs nobody in whose account is older than the link: only the account itself accepts. */
async function join(deps: Deps, request: OpenRequest, link: OpenedLink): Promise<Reply> {
  const memberId = await signedInAs(deps, request)
  if (memberId === null || memberId !== link.memberId)
    return { ...replyPage(JOIN_TITLE, renderStranger(request, link)), status: 403 }
  const use = { token: param(request, 'token'), memberId, now: deps.clock.now(), request }
  const joined = await joinByLink(deps.database, use)
  return joined.ok ? { status: 303, body: null, headers: { ...HEADERS, location: '/' } } : replyDead()
}

/** The member whose session the request brings. A mail program leads here, so the header Origin is not asked for. */
async function signedInAs({ database, clock, team }: Deps, request: OpenRequest): Promise<string | null> {
  const hash = sessionOf(team, request)
  const session = hash === null ? null : await findSession(database, { hash, now: clock.now() })
  return session?.memberId ?? null
}

async function replyJoin(deps: Deps, request: OpenRequest, link: OpenedLink): Promise<Reply> {
  const isOwn = (await signedInAs(deps, request)) === link.memberId
  return replyPage(JOIN_TITLE, isOwn ? renderJoin(link) : renderStranger(request, link))
}

const JOIN_TITLE = 'Join a brand'

function renderJoin({ brandName, role, email }: OpenedLink): Html {
  return html`<main class="card">
    <h1>Join ${brandName ?? ''}</h1>
    <p class="lead">You are signed in as ${email ?? ''} and are invited with the role ${role ?? ''}.</p>
    <form method="post"><button type="submit">Join ${brandName ?? ''}</button></form>
  </main>`
}

function renderStranger(request: OpenRequest, { brandName, email }: OpenedLink): Html {
  const to = encodeURIComponent(`/auth/link/${param(request, 'token')}`)
  return html`<main class="card">
    <h1>Join ${brandName ?? ''}</h1>
    <p class="lead">This invitation is for ${email ?? ''}, who has an account here. Sign in as ${email ?? ''} first.</p>
    <p><a href="/sign-in?to=${to}">Sign in</a></p>
    <p>If you are ${email ?? ''} and cannot sign in, or never made an account, ask the operator of this Beckon for a link
      (member reset with the option without-second-factor).</p>
  </main>`
}

async function enter(deps: Deps, request: OpenRequest): Promise<Reply> {
  const token = param(request, 'token')
  const entered = await enterByLink(deps.database, { token, now: deps.clock.now(), request })
  if (!entered.ok) return replyDead()
  const { memberId } = entered.value
  const opened = await askLibrary(deps.team, request, async (api, given) =>
    api.openSession({ body: memberId, ...given }),
  )
  return opened.ok ? replyInside(opened.cookies) : replyDead()
}

async function setPassword(
  deps: Deps,
  request: OpenRequest,
  { form, link }: { readonly form: URLSearchParams; readonly link: OpenedLink },
): Promise<Reply> {
  const given = Object.fromEntries([...form].filter(([, value]) => value !== ''))
  const parsed = parseBody(LINK_BODY, given)
  if (!parsed.ok) return replyForm(link, parsed.rejection.faults[0].message)
  const { email = null, name = null, password } = parsed.value.value
  const { database, team } = deps
  const redeemed = await redeemLink(
    { database, passwords: team.passwords },
    { token: param(request, 'token'), password, email, name, now: deps.clock.now(), request },
  )
  if (!redeemed.ok) {
    const [flaw] = redeemed.rejection.faults
    return flaw.code === 'link_invalid' ? replyDead() : replyForm(link, flaw.message)
  }
  const { cookies = [] } = await signInWith(deps, request, { email: redeemed.value.email, password })
  return replyInside(cookies)
}

/** Leads into the dashboard; without a session, to the sign-in. */
function replyInside(cookies: readonly string[]): Reply {
  const location = cookies.length === 0 ? '/sign-in' : '/'
  return { status: 303, body: null, headers: { ...HEADERS, location }, cookies }
}

function replyForm(link: OpenedLink, flaw: string): Reply {
  return link.purpose === 'open'
    ? replyPage('Open Beckon', renderFirst(flaw))
    : replyPage('Set your password', renderForm(link, flaw))
}

/** Opening takes a button, so that a program that only looks at addresses does not use the link up. */
function renderFirst(flaw: string): Html {
  const { emailCharsMax, nameCharsMax, linkHours } = SIGN_IN
  return html`<main class="card">
    <h1>Open Beckon</h1>
    <p class="lead">You administer this Beckon. The link works once, for ${String(linkHours)} hours.</p>
    <form method="post"><button type="submit">Open Beckon</button></form>
    <p>Or set your e-mail address and a password now; you can also do it later, in the settings.</p>
    ${renderFlaw(flaw)}
    <form method="post" class="second">
      <p><label for="email">Your e-mail address</label>
        <input id="email" name="email" type="email" autocomplete="username" required maxlength="${String(emailCharsMax)}"></p>
      <p><label for="name">Your name</label>
        <input id="name" name="name" autocomplete="name" maxlength="${String(nameCharsMax)}"></p>
      ${PASSWORD_FIELD}
    </form>
  </main>`
}

function renderForm({ email, name }: OpenedLink, flaw: string): Html {
  return html`<main class="card">
    <h1>Set your password</h1>
    ${renderFlaw(flaw)}
    <form method="post">
      <p>${name === null || name === '' ? 'Hello' : `Hello ${name}`}, this link is for ${email ?? ''}.</p>
      ${PASSWORD_FIELD}
    </form>
  </main>`
}

function renderFlaw(flaw: string): Html | string {
  return flaw === '' ? '' : html`<p role="alert">${flaw}</p>`
}

const PASSWORD_FIELD = html`<p><label for="password">A password of ${String(SIGN_IN.passwordCharsMin)} characters or more</label>
    <input id="password" name="password" type="password" autocomplete="new-password" required
      minlength="${String(SIGN_IN.passwordCharsMin)}" maxlength="${String(SIGN_IN.passwordCharsMax)}"></p>
  <button type="submit">Set the password and sign in</button>`

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
