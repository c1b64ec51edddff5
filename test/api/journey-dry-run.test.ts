import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, field, listIn, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { call, startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { port, deps, brand } = server
const { database } = deps

const SEND = { to: 'anywhere', title: 'Hello', message: 'World' }
const STEPS = [
  { id: 'pause', wait: { minutes: 30 } },
  { id: 'known', branch: { filter: { tag: 'vip' }, yes: 'greet', no: 'greet' } },
  { id: 'greet', send: SEND },
  { id: 'await', wait_for: { event: 'buy', within: { hours: 2 }, yes: 'mark', no: 'nudge' } },
  { id: 'nudge', send: { ...SEND, title: 'Still there?' } },
  { id: 'mark', set: { add_tag: 'buyer' } },
  {
    id: 'half',
    split: [
      { percent: 50, next: 'evening' },
      { percent: 50, next: 'end' },
    ],
  },
  { id: 'evening', wait_until: { at: '20:00' } },
  { id: 'bye', send: { ...SEND, title: 'Bye' } },
]
const DOCUMENT = { trigger: { event: 'signup' }, steps: STEPS, goal: { event: 'done' } }

async function person(userId: string) {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId, timeZone: 'Asia/Kathmandu' })
  await database.query(`update profiles set created_at = now() - interval '1 day' where brand_id = $1`, [
    mine.brandId,
  ])
  await database.query(
    `update profile_identities set profile_created_at = now() - interval '1 day' where brand_id = $1`,
    [mine.brandId],
  )
  const api = apiOf(port, mine)
  const journey = await startJourney(api, DOCUMENT)
  return { mine, api, journey, path: `/api/v1/journeys/${journey}` }
}

type Note = { readonly what: string; readonly at: number }

function notesIn(path: unknown): readonly Note[] {
  return listIn(path).map((note) => ({
    what: [field(note, 'step'), field(note, 'code')].filter((part) => typeof part === 'string').join(':'),
    at: Date.parse(String(field(note, 'at'))),
  }))
}

for (const userId of ['ann', 'ben', 'cid', 'dot']) {
  for (const events of [[], [{ event_name: 'buy', after: 3_600 }], [{ event_name: 'done', after: 5_400 }]]) {
    const name = events.map(({ event_name }) => event_name).join() || 'nothing'
    test(`200: the dry run of ${userId}, to whom ${name} happens, tells what then really happens`, async () => {
      const { mine, api, path } = await person(userId)
      const tried = await api('POST', `${path}/dry_run`, { user_id: userId, events })
      assert.equal(tried.status, 200, tried.text)
      const told = field(tried.body, 'dry_run')
      const expected = notesIn(field(told, 'path'))
      assert.equal(field(told, 'entry'), 'would_enter')
      const [first] = expected
      assert.ok(first !== undefined && expected.length > 3)
      const seconds = Math.floor(Date.now() / 1_000) * 1_000
      await logEntries(port, mine, [
        entryOf({ userID: userId, event_name: 'signup', event_time: new Date(seconds).toISOString() }),
      ])
      const moments = [...new Set(expected.map(({ at }) => at))]
      for (const moment of moments) {
        for (const { event_name, after: later } of events) {
          const at = first.at + later * 1_000
          if (at !== moment) continue
          await logEntries(port, mine, [
            entryOf({
              userID: userId,
              event_name,
              event_time: new Date(at).toISOString(),
              event_id: event_name,
            }),
          ])
        }
        await runJourneysAt(database, mine.brandId, moment)
      }
      const lived = await api('GET', `${path}/people/${userId}`)
      const [enrolment] = listIn(lived.body['enrolments'])
      assert.deepEqual(notesIn(field(enrolment, 'path')), expected)
      assert.equal(field(enrolment, 'state'), field(told, 'ends'))
    })
  }
}

test('200: a person inside goes on from there; nothing is stored, and who may not enter is told why', async () => {
  const { mine, api, path } = await person('ann')
  await logEntries(port, mine, [entryOf({ userID: 'ann', event_name: 'signup' })])
  const now = Date.now()
  await runJourneysAt(database, mine.brandId, now)
  const ask = async (body: object = {}) =>
    field((await api('POST', `${path}/dry_run`, { user_id: 'ann', ...body })).body, 'dry_run')
  const further = await ask()
  assert.equal(field(further, 'entry'), 'goes_on')
  assert.equal(notesIn(field(further, 'path'))[0]?.what, 'pause:waited')
  const sends = listIn(field(further, 'path')).flatMap((note) => listIn(field(note, 'sends')))
  assert.equal(field(sends[0], 'title'), 'Hello')
  const branch = listIn(field(further, 'path')).find((note) => field(note, 'step') === 'known')
  assert.equal(field(branch, 'is_certain'), false)
  await logEntries(port, mine, [entryOf({ userID: 'ann', event_name: 'done' })])
  await runJourneysAt(database, mine.brandId, now + 1_000)
  const over = await ask()
  assert.deepEqual([field(over, 'entry'), field(over, 'path'), field(over, 'ends')], ['was_inside', [], null])
  const { count } = await database.query('select from notifications where brand_id = $1', [mine.brandId])
  assert.equal(count, 0)
})

test('404 and 400 for a person, a journey or events that cannot be', async () => {
  const { api, path } = await person('ann')
  assert.equal((await api('POST', `${path}/dry_run`, { user_id: 'nobody' })).status, 404)
  assert.equal((await api('POST', '/api/v1/journeys/999/dry_run', { user_id: 'ann' })).status, 404)
  assert.equal((await api('POST', `${path}/dry_run`, {})).status, 400)
  const attributes = Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`k${at}`, at]))
  for (const body of [{ attributes }, { events: [{ event_name: 'x', after: 1, attributes }] }]) {
    const answer = await api('POST', `${path}/dry_run`, { user_id: 'ann', ...body })
    assert.equal(answer.status, 400, 'more attributes than an event may have')
    assert.match(answer.text, /attributes/)
  }
  const many = Array.from({ length: 21 }, () => ({ event_name: 'x', after: 1 }))
  assert.equal((await api('POST', `${path}/dry_run`, { user_id: 'ann', events: many })).status, 400)
})

function sum(value: unknown): number {
  return listIn(value).reduce<number>((total, count) => total + Number(count), 0)
}

function sorted(ids: readonly unknown[]): readonly string[] {
  return ids.map(String).toSorted((a, b) => (a < b ? -1 : 1))
}

test('200 with counts of each step on each day, clicks and zeros among them', async () => {
  const { mine, api, path } = await person('ann')
  const { brandId } = mine
  await logEntries(port, mine, [entryOf({ userID: 'ann', event_name: 'signup' })])
  const now = Date.now()
  await runJourneysAt(database, brandId, now)
  await runJourneysAt(database, brandId, now + 1_800_000)
  await drain(database)
  const { rows } = await database.query<{ notificationId: string; subscriptionId: bigint }>(
    `select notification_id as "notificationId", subscription_id as "subscriptionId" from deliveries where brand_id = $1`,
    [brandId],
  )
  const [sent] = rows
  assert.ok(sent !== undefined)
  const receipt = deps.receipts.sign({ brandId, ...sent }, now)
  await call(port, { path: '/api/v1/receipts', body: { receipts: [{ receipt, kind: 'clicked' }] } })
  const from = new Date(now - 2 * 86_400_000).toISOString().slice(0, 10)
  const answer = await api('GET', `${path}/days?from=${from}`)
  assert.equal(answer.status, 200, answer.text)
  const { days } = answer.body
  const step = (id: string) => listIn(field(days, 'steps')).find((one) => field(one, 'id') === id)
  assert.equal(listIn(field(days, 'days')).length, 3)
  assert.equal(sum(field(days, 'entered')), 1)
  const figures = ['sent', 'accepted', 'clicked', 'dismissed'].map((name) => sum(field(step('greet'), name)))
  // The send may fall on tomorrow, which has no day yet.
  assert.deepEqual(figures.slice(1), [1, 1, 0])
  assert.ok(figures[0] === 0 || figures[0] === 1)
  assert.deepEqual(field(step('bye'), 'clicked'), [0, 0, 0])
  const long = new Date(now - 100 * 86_400_000).toISOString().slice(0, 10)
  assert.equal((await api('GET', `${path}/days?from=${long}`)).status, 400)
})

test('200 with the people at a step, by the beginning of an identifier, page by page', async () => {
  const { mine, api, path } = await person('Ann_1')
  for (const userId of ['ann%2', 'İlker', 'bob'])
    await seedSubscriptions(database, { brandId: mine.brandId, userId })
  await database.query(`update profiles set created_at = now() - interval '1 day' where brand_id = $1`, [
    mine.brandId,
  ])
  await database.query(
    `update profile_identities set profile_created_at = now() - interval '1 day' where brand_id = $1`,
    [mine.brandId],
  )
  const people = ['Ann_1', 'ann%2', 'İlker', 'bob']
  await logEntries(
    port,
    mine,
    people.map((userID) => entryOf({ userID, event_name: 'signup' })),
  )
  await runJourneysAt(database, mine.brandId, Date.now())
  const list = async (query: Readonly<Record<string, string>>) => {
    const answer = await api('GET', `${path}/people?${new URLSearchParams(query).toString()}`)
    assert.equal(answer.status, 200, answer.text)
    return {
      ids: listIn(answer.body['people']).map((one) => field(one, 'user_id')),
      next: answer.body['next_cursor'],
    }
  }
  assert.deepEqual(sorted((await list({ step: 'pause' })).ids), sorted(people))
  assert.deepEqual((await list({ step: 'greet' })).ids, [])
  assert.deepEqual(sorted((await list({ version: '1' })).ids), sorted(people))
  assert.deepEqual((await list({ version: '2' })).ids, [])
  assert.deepEqual(sorted((await list({ search: 'ANN' })).ids), sorted(['Ann_1', 'ann%2']))
  assert.deepEqual((await list({ search: 'ann_' })).ids, ['Ann_1'])
  assert.deepEqual((await list({ search: 'ann%' })).ids, ['ann%2'])
  assert.deepEqual((await list({ state: 'completed' })).ids, [])
  await database.query(
    `update enrolments set state = 'exited', step = null, wake_at = null where brand_id = $1 and id =
       (select min(id) from enrolments where brand_id = $1)`,
    [mine.brandId],
  )
  assert.deepEqual((await list({})).ids.length, people.length - 1)
  assert.deepEqual(sorted((await list({ state: 'all' })).ids), sorted(people))
  const first = await list({ state: 'all', limit: '3' })
  const second = await list({ state: 'all', limit: '3', cursor: String(first.next) })
  assert.deepEqual(sorted([...first.ids, ...second.ids]), sorted(people))
  assert.equal(second.next, null)
})
