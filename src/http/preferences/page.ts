import { optOutOf } from '../../domain/preferences/opt-outs.ts'
import { changePreferences, loadPreferences, type Preferences } from '../../intake/preferences/preferences.ts'
import { EVERYTHING, TRANSACTIONAL_TOPIC } from '../../rules/topics.ts'
import { loadBrandName } from '../../store/brand/brands.ts'
import type { OptOutHolder } from '../../store/preferences/opt-outs.ts'
import type { Deps } from '../deps.ts'
import { type Html, html } from '../reference/html.ts'
import { renderPage } from '../reference/page.ts'
import { PAGE_HEADERS } from '../reference/style.ts'
import { type Reply, type ReplyHeaders, replyText } from '../reply.ts'
import { type OpenRequest, param } from '../request.ts'

/** GET /preferences/{token}: the topics of the brand with a box for each. It shows nothing of the person but these. */
export async function showPreferencePage(deps: Deps, request: OpenRequest): Promise<Reply> {
  const holder = holderOf(deps, request)
  if (holder === null) return replyDeadLink()
  const { brandId } = holder
  const [brand, preferences] = await deps.database.asBrand(
    brandId,
    async (tx) => [await loadBrandName(tx, brandId), await loadPreferences(tx, holder)] as const,
  )
  if (brand === null || preferences === null) return replyDeadLink()
  const isSaved = request.query.has('saved')
  const title = isSaved ? 'Saved: your messages' : 'Your messages'
  return replyText(renderPage(title, renderForm({ brand, preferences, isSaved })), HTML_TYPE, HEADERS)
}

/** POST /preferences/{token}: the form of that page. The reply leads back to it, so that a reload sends nothing again. */
export async function savePreferencePage(deps: Deps, request: OpenRequest): Promise<Reply> {
  const holder = holderOf(deps, request)
  if (holder === null) return replyDeadLink()
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const chosen = form.has('stop') ? [] : form.getAll('topic')
  const now = deps.clock.now()
  const changed = await deps.database.asBrand(holder.brandId, async (tx) => {
    const before = await loadPreferences(tx, holder)
    if (before === null) return null
    return changePreferences(tx, holder, { wanted: optOutsOf(before, chosen), now })
  })
  if (changed === null || !changed.ok || changed.value === null) return replyDeadLink()
  const location = `/preferences/${param(request, 'token')}?saved`
  return { status: 303, body: null, headers: { ...HEADERS, location } }
}

/** A person who wants no topic wants nothing: that also holds for messages without a topic, and for new topics. */
function optOutsOf({ topics }: Preferences, chosen: readonly string[]): readonly string[] {
  if (chosen.length === 0) return [EVERYTHING]
  return topics.map(({ name }) => name).filter((name) => !chosen.includes(name))
}

function holderOf({ preferenceLinks, clock }: Deps, request: OpenRequest): OptOutHolder | null {
  const opened = preferenceLinks.open(param(request, 'token'), clock.now())
  if (opened === null || opened.age === 'expired') return null
  const { brandId, profileId } = opened
  return { kind: 'profile', brandId, profileId }
}

const HTML_TYPE = 'text/html; charset=utf-8'

/** The address is a key to the page, so nothing may store it or send it on. */
const HEADERS: ReplyHeaders = {
  ...PAGE_HEADERS,
  'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/** The same for a link that is wrong, too old, or of a person who is gone: it must not tell which. */
function replyDeadLink(): Reply {
  const body = html`<main class="card"><h1>This link is not valid any more</h1>
    <p>Ask for a new one where you got it.</p></main>`
  return { ...replyText(renderPage('Link not valid', body), HTML_TYPE, HEADERS), status: 404 }
}

type Form = { readonly brand: string; readonly preferences: Preferences; readonly isSaved: boolean }

function renderForm({ brand, preferences, isSaved }: Form): Html {
  const { topics, optOuts } = preferences
  const boxes = topics.map((topic) => ({ ...topic, isOn: optOutOf(optOuts, topic.name) === null }))
  const all = {
    name: EVERYTHING,
    title: 'All messages',
    description: '',
    isOn: optOutOf(optOuts, null) === null,
  }
  return html`<main class="card">
    <h1>Messages of ${brand}</h1>
    ${isSaved ? html`<p role="status" class="saved">Your choice is saved.</p>` : ''}
    <form method="post">
      <fieldset>
        <legend>Which messages do you want?</legend>
        ${(boxes.length === 0 ? [all] : boxes).map(renderBox)}
        <div class="topic"><input type="checkbox" id="always" checked disabled aria-describedby="about-always">
          <label for="always">${TRANSACTIONAL_TOPIC.title}</label>
          <p id="about-always">${TRANSACTIONAL_TOPIC.description}</p></div>
      </fieldset>
      <button type="submit">Save</button>
      <button type="submit" name="stop" value="all">Only what I ask for</button>
    </form>
  </main>`
}

type Box = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isOn: boolean
}

function renderBox({ name, title, description, isOn }: Box, index: number): Html {
  const id = `topic-${index}`
  const checked = isOn ? html` checked` : ''
  const about = description === '' ? '' : html` aria-describedby="about-${id}"`
  return html`<div class="topic"><input type="checkbox" id="${id}" name="topic" value="${name}"${checked}${about}>
    <label for="${id}">${title}</label>
    ${description === '' ? '' : html`<p id="about-${id}">${description}</p>`}</div>`
}
