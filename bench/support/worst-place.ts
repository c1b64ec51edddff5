import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Route } from '../../src/http/route.ts'
import { BRAND_LIMITS, DEMO_USER } from '../../src/rules/brand.ts'
import { openBrowser, SITE, webBrand } from '../../test/support/people/visitors.ts'
import { call, keyHeaders, PUBLIC_URL, type RunningServer } from '../../test/support/processes/server.ts'
import { addMember, firstLink, Page, redeem } from '../../test/support/team/members.ts'
import { seedCrowd } from './worst-crowd.ts'
import { ADMINISTRATOR, STANDS_FOR } from './worst-legal.ts'
import { pageRowsMax } from './worst-search.ts'

/** A brand with rows as large as they may be, and the way in which each route is called there. */
export type WorstPlace = {
  readonly urlOf: (route: Route) => string
  readonly headersOf: (route: Route) => Readonly<Record<string, string>>
  /** The same JSON with the ids and keys of the place where words stand for them. */
  readonly withOwn: (text: string) => string
}

const EVENTS = 500
const DOCUMENTS = 12

export async function makeWorstPlace(server: RunningServer): Promise<WorstPlace> {
  const brand = await webBrand(server)
  const headers = keyHeaders(brand)
  const post = async (path: string, body: object) => {
    const answer = await call(server.port, { path, headers, body })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text.slice(0, 300)}`)
    return Object(answer.body)
  }
  const attributes = textsOf({ count: 190, chars: 250 })
  for (let at = 0; at < EVENTS; at += 100) {
    const entry = { userID: 'reader', event_name: 'read', attributes }
    await post('/api/event', { nv: Array.from({ length: 100 }, () => entry) })
  }
  const administrator = new Page(server, brand)
  await redeem(administrator, await firstLink(server), { email: ADMINISTRATOR })
  if (administrator.cookies.size === 0) throw new Error('the administrator is not signed in')
  const member = await addMember(server, { brand })
  const tags = Array.from({ length: 100 }, (_, at) => `${'🙂'.repeat(90)}${at}`)
  const device = { platform: 'android', user_id: 'reader', tags }
  const filter = { users: Array.from({ length: 9_000 }, (_, at) => `${'u'.repeat(90)}${at}`) }
  const step = { id: 'check', branch: { filter, yes: 'end', no: 'end' } }
  const ids: Record<string, string> = {
    users: 'reader',
    catalogue: 'k1',
    snippets: 's0',
    brands: brand.externalId,
    team: member.id,
    topics: 'news',
  }
  await post('/api/v1/user/create', {
    nv: [{ userID: DEMO_USER, user_attributes: textsOf({ count: 250, chars: 999 }) }],
  })
  await post('/api/event', { nv: [{ userID: DEMO_USER, event_name: 'read', attributes }] })
  await post('/api/v1/subscriptions', { ...device, user_id: DEMO_USER, token: 'token-demo' })
  await post('/api/v1/subscriptions', {
    ...device,
    platform: 'ios',
    user_id: DEMO_USER,
    token: 'ab'.repeat(32),
  })
  await post('/api/v1/topics', { name: ids['topics'], title: 'News' })
  for (let at = 0; at < DOCUMENTS; at += 1) {
    await post('/api/v1/user/create', {
      nv: [{ userID: `p${at}`, user_attributes: textsOf({ count: 250, chars: 999 }) }],
    })
    await post('/api/event', { nv: [{ userID: `p${at}`, event_name: 'read', attributes: {} }] })
    const { segment } = await post('/api/v1/segments', { name: `s${at}`, filter })
    const { journey } = await post('/api/v1/journeys', {
      name: `j${at}`,
      trigger: { event: 'read' },
      steps: [step],
    })
    const { subscription } = await post('/api/v1/subscriptions', { ...device, token: `token-${at}` })
    const { template } = await post('/api/v1/templates', {
      name: `t${at}`,
      content: { ...textsIn(120).content, languages: textsIn(120).languages },
    })
    await post('/api/v1/snippets', { name: `s${at}`, text: 'x'.repeat(4_000) })
    const { campaign } = await post('/api/v1/campaigns', {
      name: `c${at}`,
      platforms: ['web'],
      audience: { filter },
      ...textsIn(1_000),
    })
    ids['templates'] = String(template.template_id)
    ids['campaigns'] = String(campaign.campaign_id)
    ids['segments'] = String(segment.segment_id)
    ids['journeys'] = String(journey.journey_id)
    ids['subscriptions'] = String(subscription.subscription_id)
  }
  for (let at = 0; at < EVENTS; at += 1) {
    await post('/api/v1/subscriptions', { ...device, token: `more-${at}` })
  }
  const { campaign: wide } = await post('/api/v1/campaigns', {
    name: 'wide',
    platforms: ['android', 'ios', 'web'],
    audience: {
      filter: { all: [{ not: filter }, { not: NEVER_DONE }] },
      except: { campaign_id: Number(ids['campaigns']) },
    },
    ...textsIn(120),
  })
  const wideId = String(wide.campaign_id)
  const crowd = { brandId: brand.brandId, sentId: wideId, unsentId: ids['campaigns'] ?? NOBODY }
  const firstDay = await seedCrowd(server, crowd)
  // With a bound that nobody reaches, a launch and its explanation count their audience.
  await call(server.port, {
    method: 'PATCH',
    path: '/api/v1/brand',
    headers,
    body: { approval_above: BRAND_LIMITS.approvalAboveMax },
  })
  const { webhook } = await post('/api/v1/webhooks', {
    url: 'https://example.com/hooks',
    event_types: ['subscription.gone'],
  })
  ids['webhooks'] = String(webhook.id)
  const { notification } = await post('/api/v1/android/send', {
    user_id: 'reader',
    title: 't',
    message: 'm',
    time: 86_400,
  })
  ids['notifications'] = String(notification.id)
  const browser = await openBrowser(server, brand)
  const own = new Map<string, string>([
    [STANDS_FOR.segmentId, ids['segments'] ?? NOBODY],
    [STANDS_FOR.notificationId, ids['notifications'] ?? NOBODY],
    [STANDS_FOR.campaignId, ids['campaigns'] ?? NOBODY],
    [STANDS_FOR.journeyId, ids['journeys'] ?? NOBODY],
    [STANDS_FOR.firstDay, firstDay],
    [STANDS_FOR.firstWeek, weekOf(firstDay)],
    [STANDS_FOR.androidKey, pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))],
    [STANDS_FOR.iosKey, pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))],
  ])
  const cookie = [...administrator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const pageHeaders = { origin: PUBLIC_URL, cookie, 'x-brand-id': brand.externalId }
  return {
    urlOf: (route) => {
      const { path, cors } = route
      const [, noun = ''] = /^\/api\/v1\/([\w-]+)\//.exec(path) ?? []
      const named = path
        .replace(/\{\w+\}(?=\/(?:audience|deliveries)$)/, noun === 'campaigns' ? wideId : '$&')
        .replace(/\{\w+\}/, ids[noun] ?? NOBODY)
        .replace('{user_id}', 'reader')
        .replace('{version}', '1')
        .replaceAll(/\{\w+\}/g, NOBODY)
      const key = cors === 'brand' ? `?key=${brand.publishableKey}` : ''
      const rows = route.body === 'json' ? pageRowsMax(route) : null
      const size = rows === null ? '' : `?limit=${rows}`
      return `http://127.0.0.1:${server.port}${named}${key}${size}`
    },
    headersOf: (route) => {
      if (route.cors === 'brand') return { origin: SITE }
      return isForMembers(route) ? pageHeaders : headers
    },
    withOwn: (json) =>
      [...own, [STANDS_FOR.visitorToken, browser.token()] as const].reduce(
        (text, [words, value]) => text.replaceAll(words, JSON.stringify(value).slice(1, -1)),
        json,
      ),
  }
}

/** Routes that take the session of a member and no key. */
function isForMembers(route: Route): boolean {
  return /^\/auth\/|\/team\//.test(route.path) || ('isForMembers' in route && route.isForMembers)
}

const LANGUAGES =
  'ar cs da de el es et fi fr he hi hu id it ja ko lt lv nl no pl pt ro ru sk sl sv th tr uk vi zh'.split(' ')

/** A content in many languages. */
function textsIn(chars: number) {
  const languages = Object.fromEntries(LANGUAGES.map((tag) => [tag, { message: 'z'.repeat(chars) }]))
  return { content: { title: 't', message: 'y'.repeat(chars) }, languages }
}

/** All events of a person must be read to know that none of them is such a one. */
const NEVER_DONE = {
  event: 'read',
  where: [{ attribute: 'k1', is: 'contains', value: 'never written' }],
} as const

/** The Monday of the week of a day. */
function weekOf(day: string): string {
  const at = new Date(`${day}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
  return at.toISOString().slice(0, 10)
}

/** No row has this id. */
const NOBODY = '999999999'

function pemOf({ privateKey }: { readonly privateKey: KeyObject }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}

function textsOf({ count, chars }: { readonly count: number; readonly chars: number }): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'y'.repeat(chars)]))
}
