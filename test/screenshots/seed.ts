import assert from 'node:assert/strict'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { until } from '../support/until.ts'
import {
  CAMPAIGNS,
  JOURNEY,
  PEOPLE,
  type Person,
  SEGMENTS,
  SNIPPETS,
  TEAS,
  TEMPLATES,
  VISITOR,
} from './shop.ts'

export type Access = { readonly url: string; readonly key: string }

/** The subjects that a page can have, by their ids. */
export type Places = {
  readonly campaign: string
  readonly draft: string
  readonly person: string
  readonly segment: string
  readonly journey: string
  readonly template: string
}

type Ask = (path: string, body?: object, method?: string) => Promise<Readonly<Record<string, unknown>>>

/** Fills the brand of the first start with the shop "Leaf & Kettle": some two weeks of its life, by the public API. */
export async function seedShop(access: Access): Promise<Places> {
  const ask = asking(access)
  await ask('/api/v1/brand', { name: 'Leaf & Kettle', time_zone: 'Europe/London' }, 'PATCH')
  await ask('/api/v1/topics', { name: 'offers', title: 'Offers', description: 'New teas and prices.' })
  await ask('/api/v1/user/create', { nv: [...PEOPLE, VISITOR].map(profileOf) })
  await registerDevices(ask)
  await ask('/api/event', { nv: PEOPLE.flatMap((person, index) => visitsOf(person.id, index)) })
  await ask('/api/event', { nv: lastHour() })
  const segments: unknown[] = []
  for (const segment of SEGMENTS) segments.push((await ask('/api/v1/segments', segment))['segment'])
  const journey = String(Object((await ask('/api/v1/journeys', JOURNEY))['journey']).journey_id)
  await ask(`/api/v1/journeys/${journey}/activate`, {})
  await ask('/api/event', { nv: PEOPLE.slice(0, 18).map(({ id }) => signupOf(id)) })
  const template = await writeTemplates(ask)
  const { launched, draft } = await writeCampaigns(ask)
  await untilSent(ask, launched)
  await report(ask)
  await ask('/api/event', { nv: PEOPLE.slice(0, 6).map(({ id }) => eventOf(id, { name: 'otp_verified' })) })
  return {
    campaign: launched[0] ?? '',
    draft,
    person: PEOPLE[0]?.id ?? '',
    segment: String(Object(segments[0]).segment_id),
    journey,
    template,
  }
}

function asking({ url, key }: Access): Ask {
  const headers = { 'x-brand-id': 'demo', 'x-api-key': key, 'content-type': 'application/json' }
  return async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await askBeckon(`${url}${path}`, { method, headers, ...given })
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return Object(JSON.parse(text))
  }
}

function profileOf({ id, firstName, city, tea, club }: Person): object {
  return {
    userID: id,
    email: `${id}@example.com`,
    user_attributes: { first_name: firstName, city, favourite_tea: tea, club },
  }
}

/** Devices of the sandbox. The first start has made the three that the dashboard draws. */
async function registerDevices(ask: Ask): Promise<void> {
  for (const [index, { id, club }] of PEOPLE.entries()) {
    const { device } = await ask('/sandbox/devices', { platform: PLATFORMS[index % PLATFORMS.length] })
    await ask('/api/v1/subscriptions', { ...Object(device), user_id: id, tags: club ? ['club'] : [] })
  }
}

const PLATFORMS = ['ios', 'android', 'android', 'web'] as const

type Made = {
  readonly name: string
  readonly hoursAgo?: number
  readonly ltv?: string
  readonly tea?: string
}

function eventOf(id: string, { name, hoursAgo = 0, ltv = '0', tea }: Made): object {
  const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
  return {
    userID: id,
    event_name: name,
    event_time: at,
    ltv,
    attributes: tea === undefined ? {} : { tea, total: Number(ltv) },
  }
}

/** Some days of looking and buying; the numbers follow from the place in the list, so that each run looks the same. */
function visitsOf(id: string, index: number): readonly object[] {
  return Array.from({ length: 4 + (index % 5) }, (_, visit) => {
    const hoursAgo = ((index * 7 + visit * 41) % (13 * 24)) + 1
    const { name: tea, price } = TEAS[(index + visit) % TEAS.length] ?? { name: 'Sencha', price: '9.80' }
    const events = [eventOf(id, { name: 'product viewed', hoursAgo, tea })]
    if (visit % 2 === 0) events.push(eventOf(id, { name: 'added to cart', hoursAgo: hoursAgo - 0.2, tea }))
    if (visit % 3 === 0)
      events.push(eventOf(id, { name: 'purchase', hoursAgo: hoursAgo - 0.4, tea, ltv: price }))
    return events
  }).flat()
}

/** Three waves of looking around, for the plots of the last hour. */
function lastHour(): readonly object[] {
  return Array.from({ length: 240 }, (_, index) => {
    const { id } = PEOPLE[(index * 7) % PEOPLE.length] ?? { id: 'ada' }
    const tea = TEAS[index % TEAS.length]?.name ?? 'Sencha'
    const minutesAgo = (index * 59) / 240 + 4 * Math.sin(index / 12)
    return eventOf(id, { name: 'product viewed', hoursAgo: Math.max(1, minutesAgo) / 60, tea })
  })
}

function signupOf(id: string): object {
  return eventOf(id, { name: 'signup' })
}

/** The id of the first template. */
async function writeTemplates(ask: Ask): Promise<string> {
  for (const snippet of SNIPPETS) await ask('/api/v1/snippets', snippet)
  const ids: string[] = []
  for (const template of TEMPLATES) {
    const made = await ask('/api/v1/templates', template)
    ids.push(String(Object(made['template']).template_id))
  }
  const [first = ''] = ids
  const { content } = TEMPLATES[0]
  const shorter = { ...content, message: 'It arrives within two days. {% render "closing" %}' }
  await ask(`/api/v1/templates/${first}`, { version: 1, content: shorter }, 'PATCH')
  return first
}

async function writeCampaigns(ask: Ask): Promise<{ readonly launched: string[]; readonly draft: string }> {
  const launched: string[] = []
  let draft = ''
  for (const { isLaunched, ...document } of CAMPAIGNS) {
    const { campaign } = await ask('/api/v1/campaigns', document)
    const id = String(Object(campaign).campaign_id)
    if (isLaunched) {
      await ask(`/api/v1/campaigns/${id}/launch`, {})
      launched.push(id)
    } else draft = id
  }
  return { launched, draft }
}

async function untilSent(ask: Ask, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await until(async () => Object((await ask(`/api/v1/campaigns/${id}`))['campaign']).state !== 'sending', {
      what: 'a campaign that is sent',
    })
  }
}

/** Two of five people open what they got, with a receipt of each message that the sandbox has. */
async function report(ask: Ask): Promise<void> {
  const { arrivals } = await ask('/sandbox/inbox')
  const tokens = (Array.isArray(arrivals) ? arrivals : []).flatMap((arrival: unknown) => {
    const { payload } = Object(arrival)
    const token: unknown = Object(payload).receipt ?? Object(Object(payload).data).receipt
    return typeof token === 'string' ? [token] : []
  })
  const receipts = tokens.flatMap((receipt, index) => [
    { receipt, kind: 'received' },
    ...(index % 5 < 2 ? [{ receipt, kind: 'clicked' }] : []),
  ])
  for (let at = 0; at < receipts.length; at += RECEIPTS_A_CALL)
    await ask('/api/v1/receipts', { receipts: receipts.slice(at, at + RECEIPTS_A_CALL) })
}

const RECEIPTS_A_CALL = 100
