import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { foldSeries } from '../../src/store/series/folding.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { clickAll } from '../support/push/click-all.ts'
import { drain } from '../support/push/drain.ts'
import { assertDocumented } from '../support/reference/documented.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { port, deps, brand } = server
const { database } = deps
const users = new UserCalls(server)

const PATH = '/api/v1/journeys'
const PAUSE = { id: 'pause', wait: { days: 1 } }
const SEND = { id: 'remind', send: { to: 'anywhere', title: 'Hello', message: 'World' } }

async function list(mine: TestBrand, query: Readonly<Record<string, string>> = {}) {
  const path = `${PATH}?${new URLSearchParams(query).toString()}`
  const answer = await call(port, { path, headers: keyHeaders(mine) })
  assert.equal(answer.status, 200, answer.text)
  assertDocumented({ method: 'GET', path: PATH }, answer)
  const { journeys, next_cursor: next } = answer.body
  const rows: readonly JsonObject[] = Array.isArray(journeys) ? journeys.filter(isJsonObject) : []
  return { rows, next }
}

async function namesOf(
  mine: TestBrand,
  query: Readonly<Record<string, string>>,
): Promise<readonly unknown[]> {
  return (await list(mine, query)).rows.map(({ name }) => name)
}

test('200 with the journeys in a state, or with a part of the name in any case, page by page', async () => {
  const mine = await brand()
  const api = apiOf(port, mine)
  const document = { trigger: { event: 'signup' }, steps: [PAUSE] }
  const ids = new Map<string, string>()
  for (const name of ['Welcome %', 'WELCOME back', 'KAPALIÇARŞI', 'Old welcome'])
    ids.set(name, await startJourney(api, { ...document, name }))
  await api('POST', PATH, { ...document, name: 'welcome draft' })
  await api('POST', `${PATH}/${ids.get('WELCOME back')}/pause`)
  await api('POST', `${PATH}/${ids.get('Old welcome')}/archive`)

  assert.deepEqual(await namesOf(mine, {}), ['Welcome %', 'WELCOME back', 'KAPALIÇARŞI', 'welcome draft'])
  assert.deepEqual(await namesOf(mine, { state: 'active' }), ['Welcome %', 'KAPALIÇARŞI'])
  assert.deepEqual(await namesOf(mine, { state: 'paused' }), ['WELCOME back'])
  assert.deepEqual(await namesOf(mine, { state: 'draft' }), ['welcome draft'])
  assert.deepEqual(await namesOf(mine, { state: 'archived' }), ['Old welcome'])
  assert.deepEqual(await namesOf(mine, { archived: 'true' }), ['Old welcome'])
  assert.deepEqual(await namesOf(mine, { archived: 'true', state: 'active' }), [])
  assert.deepEqual(await namesOf(mine, { text: 'Welcome' }), ['Welcome %', 'WELCOME back', 'welcome draft'])
  assert.deepEqual(await namesOf(mine, { text: 'welcome', state: 'active' }), ['Welcome %'])
  assert.deepEqual(await namesOf(mine, { text: '%' }), ['Welcome %'])
  assert.deepEqual(await namesOf(mine, { text: '_' }), [])
  assert.deepEqual(await namesOf(mine, { text: 'kapalıçarşı' }), ['KAPALIÇARŞI'])
  const first = await list(mine, { text: 'welcome', limit: '2' })
  const rest = await namesOf(mine, { text: 'welcome', limit: '2', cursor: String(first.next) })
  assert.deepEqual([first.rows.length, rest], [2, ['welcome draft']])
  assert.deepEqual(await namesOf(await brand(), { text: 'welcome' }), [])
  for (const query of ['?state=sleeping', '?text=', `?text=${'a'.repeat(201)}`])
    assert.equal((await api('GET', PATH + query)).status, 400, query)
})

test('200 with the people, the messages and the clicks of each journey; an erased person is not inside', async () => {
  const mine = await brand()
  const { brandId } = mine
  const api = apiOf(port, mine)
  const exit = { event: 'leave' }
  await startJourney(api, {
    name: 'shop',
    trigger: { event: 'view' },
    steps: [SEND, PAUSE],
    goal: { event: 'buy' },
    exit,
  })
  await startJourney(api, { name: 'news', trigger: { event: 'read' }, steps: [SEND] })
  await startJourney(api, { name: 'quiet', trigger: { event: 'never' }, steps: [PAUSE] })
  for (const userId of ['ann', 'ben', 'cleo']) await seedSubscriptions(database, { brandId, userId })
  await users.post(mine, 'create', { nv: [{ userID: 'dan' }] })
  const log = async (userID: string, event_name: string): Promise<void> => {
    assert.equal((await logEntries(port, mine, [entryOf({ userID, event_name })])).status, 200)
    await runJourneysAt(database, brandId, Date.now())
  }
  for (const name of ['ann', 'ben', 'cleo', 'dan']) await log(name, 'view')
  await log('ann', 'read')
  await drain(database, { judge: () => ({}) })
  await clickAll(server, mine)
  await log('ann', 'buy')
  await log('ben', 'leave')
  const numbers = async () =>
    (await list(mine)).rows.map(({ name, counts, goal_rate, recent }) => ({
      name,
      counts,
      goal_rate,
      recent,
    }))
  const none = { days: 30, accepted: 0, failed: 0, clicked: 0, click_rate: null }
  const wanted = [
    {
      name: 'shop',
      counts: { entered: 4, inside: 2, goal: 1, completed: 0, exited: 1, sent: 3 },
      goal_rate: 0.25,
      recent: { days: 30, accepted: 3, failed: 0, clicked: 3, click_rate: 1 },
    },
    {
      name: 'news',
      counts: { entered: 1, inside: 0, goal: 0, completed: 1, exited: 0, sent: 1 },
      goal_rate: 0,
      recent: { days: 30, accepted: 1, failed: 0, clicked: 1, click_rate: 1 },
    },
    {
      name: 'quiet',
      counts: { entered: 0, inside: 0, goal: 0, completed: 0, exited: 0, sent: 0 },
      goal_rate: null,
      recent: none,
    },
  ]
  assert.deepEqual(await numbers(), wanted)
  while ((await foldSeries(database, 100)) > 0);
  assert.deepEqual(await numbers(), wanted)

  await users.post(mine, 'delete', { nv: [{ userID: 'cleo' }] })
  await catchUp(database, brandId)
  const [shop] = await numbers()
  assert.deepEqual(shop?.counts, { entered: 4, inside: 1, goal: 1, completed: 0, exited: 1, sent: 3 })
})
