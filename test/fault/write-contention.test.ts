import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ROUTES } from '../../src/http/routes.ts'
import { countBrand } from '../../src/pipeline/events/counting.ts'
import { ensureReaders } from '../../src/store/events/readers.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const users = new UserCalls(server)

const CLIENTS = 10
const CALLS = 40

/** Few people, addresses and devices, in any order, so that everything meets. */
class Caller {
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  one<Value>(values: readonly Value[]): Value {
    const [value] = this.#random.shuffle(values)
    if (value === undefined) throw new Error('nothing to choose from')
    return value
  }

  some<Value>(values: readonly Value[]): readonly Value[] {
    return this.#random.shuffle(values).slice(0, 3)
  }
}

const PEOPLE = ['a', 'b', 'c', 'd'] as const
const EMAILS = ['1@x.example', '2@x.example', '3@x.example'] as const
const DEVICES = ['one', 'two', 'three'] as const

type Made = { readonly path?: string; readonly type?: string; readonly body?: object | string }
type Maker = (caller: Caller) => Made

function device(caller: Caller): object {
  const name = caller.one(DEVICES)
  return {
    platform: 'android',
    token: `t-${caller.one(DEVICES)}`,
    subscription_id: name,
    android_id: caller.one(DEVICES),
    user_id: caller.one(PEOPLE),
  }
}

const TEXT = { title: 'Hello', message: 'World' }
const FILTER = { any: [{ tag: 'segment:7' }, { attribute: 'n', is: 'exists' }] }

/** A request for every row that writes rows which others write too. */
const MAKERS: Readonly<Record<string, Maker>> = {
  'POST /api/v1/android/send': (caller) => ({ body: { user_id: caller.one(PEOPLE), ...TEXT } }),
  'POST /api/v1/android/broadcast/all': () => ({ body: TEXT }),
  'POST /api/v1/android/broadcast/segment': () => ({ body: { segment_id: 7, ...TEXT } }),
  'POST /api/event': (caller) => ({
    body: { nv: caller.some(PEOPLE).map((userID) => entryOf({ userID, email: caller.one(EMAILS) })) },
  }),
  'POST /api/v1/user/create': (caller) => ({
    body: {
      nv: caller.some(PEOPLE).map((userID) => ({
        userID,
        email: caller.one(EMAILS),
        user_attributes: { n: 1 },
      })),
    },
  }),
  'POST /api/v1/user_event/create': (caller) => ({
    body: { nv: caller.some(PEOPLE).map((userID) => entryOf({ userID, user_params: { n: 1 } })) },
  }),
  'POST /api/v1/user/delete': (caller) => ({
    body: { nv: caller.some(PEOPLE).map((userID) => ({ userID })) },
  }),
  'POST /api/v1/user/unmerge': (caller) => ({ body: { userID: caller.one(PEOPLE) } }),
  'PUT /api/v1/user/preferences': (caller) => ({
    body: { userID: caller.one(PEOPLE), opt_outs: caller.one([[], ['*']]) },
  }),
  'PUT /api/v1/subscriptions/{subscription_id}/preferences': (caller) => ({
    path: `/api/v1/subscriptions/${caller.one(DEVICES)}/preferences`,
    body: { opt_outs: caller.one([[], ['*']]) },
  }),
  'POST /api/v1/campaigns': (caller) => ({
    body: { name: 'c', audience: { users: caller.some(PEOPLE) }, content: TEXT, platforms: ['android'] },
  }),
  'POST /api/v1/campaigns/{campaign_id}/launch': (caller) => ({
    path: `/api/v1/campaigns/${caller.one([1, 2, 3])}/launch`,
  }),
  'POST /api/v1/campaigns/{campaign_id}/test': (caller) => ({
    path: `/api/v1/campaigns/${caller.one([1, 2, 3])}/test`,
    body: { user_ids: caller.some(PEOPLE) },
  }),
  'POST /api/v1/subscriptions': (caller) => ({ body: device(caller) }),
  'PATCH /api/v1/subscriptions/{subscription_id}': (caller) => ({
    path: `/api/v1/subscriptions/${caller.one(DEVICES)}`,
    body: { user_id: caller.one([...PEOPLE, null]), tags: { add: ['x'] } },
  }),
  'POST /api/v1/subscriptions/{subscription_id}/unsubscribe': (caller) => ({
    path: `/api/v1/subscriptions/${caller.one(DEVICES)}/unsubscribe`,
  }),
  'POST /api/v1/subscriptions/import': (caller) => ({
    type: 'application/x-ndjson',
    body: caller
      .some(DEVICES)
      .map((name) => `${JSON.stringify({ ...device(caller), subscription_id: name })}\n`)
      .join(''),
  }),
  'POST /api/v1/segments/{segment_id}/import': (caller) => ({
    path: '/api/v1/segments/7/import',
    type: 'text/csv',
    body: `user_id\n${caller.some(PEOPLE).join('\n')}\n`,
  }),
  'POST /api/v1/segments': () => ({ body: { segment_id: 7, name: 's', filter: FILTER } }),
  'PATCH /api/v1/segments/{segment_id}': (caller) => ({
    path: '/api/v1/segments/7',
    body: { name: caller.one(PEOPLE), filter: FILTER },
  }),
}

/**
 * Rows whose rows nobody else writes, or only one at a time: settings, documents and credentials of the brand, and
 * members, whose races test/api/team-members.test.ts has.
 */
const ALONE =
  /\/(?:auth|me|team|brands?|virtual-devices|journeys|templates|snippets|topics|webhooks|visitors|receipts|sandbox|demo)(?:\/|$)|\/campaigns\/\{campaign_id\}|\/preferences\/(?:link|\{token\})$|\/archive$|\/cancel$|\/(?:ios|web)\/|\/(?:funnel|query|userdata|profile|count|search|preview|validate|explain|locks)(?:$|\/)|events\/schema/

test('every row that writes what others write is in this test', () => {
  const writing = ROUTES.filter(({ method }) => method !== 'GET').map(
    ({ method, path }) => `${method} ${path}`,
  )
  assert.deepEqual(
    writing.filter((address) => !(address in MAKERS) && !ALONE.test(address)),
    [],
  )
})

test('no crowd of writes to the same people, devices and lists gets a 500', async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  context.diagnostic(`seed ${seed}`)
  const brand = await users.mergingBrand()
  await addEndpoint(deps.database, brand.brandId, ['profile.created', 'profile.merged', 'subscription.gone'])
  await ensureReaders(deps.database, 'counting')
  for (const address of Object.keys(MAKERS)) {
    const { answer } = await callOnce(brand, address, new Caller(new SeededRandom(seed)))
    assert.ok([200, 404, 409].includes(answer.status), `${address} ${answer.text}`)
  }
  const stop = new AbortController()
  const counting = keepCounting(brand, stop.signal)
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => runClient(brand, new SeededRandom(seed + client))),
  )
  stop.abort()
  await counting
  const failed = answers.flat().filter(({ answer }) => answer.status >= 500)
  assert.deepEqual(
    failed.map(({ address, answer }) => `${address} ${answer.text}`),
    [],
    server.log.join('\n'),
  )
})

type Tried = { readonly address: string; readonly answer: Answer }

async function runClient(brand: TestBrand, random: SeededRandom): Promise<readonly Tried[]> {
  const caller = new Caller(random)
  const tried: Tried[] = []
  for (let count = 0; count < CALLS; count += 1) {
    tried.push(await callOnce(brand, caller.one(Object.keys(MAKERS)), caller))
  }
  return tried
}

async function callOnce(brand: TestBrand, address: string, caller: Caller): Promise<Tried> {
  const [method = '', path = ''] = address.split(' ')
  const made = MAKERS[address]?.(caller) ?? {}
  const type = made.type === undefined ? {} : { 'content-type': made.type }
  const headers = { ...keyHeaders(brand), ...type }
  const body = made.body === undefined ? {} : { body: made.body }
  return { address, answer: await call(port, { method, path: made.path ?? path, headers, ...body }) }
}

/** The pipeline counts, merges and erases beside the calls. */
async function keepCounting({ brandId }: TestBrand, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await countBrand(deps.database, brandId)
}
