import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { VISITOR_BUDGETS } from '../../src/rules/people.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { event, openBrowser, SITE, webBrand } from '../support/people/visitors.ts'
import { type Answer, call, startServer } from '../support/processes/server.ts'

type Budget = keyof typeof VISITOR_BUDGETS

/** A server whose budgets are small, and which believes one proxy, so that a test can come from several networks. */
async function serverWith(budgets: Partial<Record<Budget, number>>) {
  const server = await startServer({ budgets, options: { proxyHops: 1 } })
  after(server.close)
  return server
}

test('429 when a network has sent its kibibytes; another network and another brand go on', async () => {
  const server = await serverWith({ kibibytes: 40 })
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const large = event('page_viewed', { attributes: { text: { a: 'x'.repeat(30_000) } } })
  assert.equal((await browser.tell(large)).status, 200)
  const refused = await browser.tell(large)
  assert.deepEqual([refused.status, refused.body['code']], [429, 'budget_spent'])
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.match(String(refused.body['message']), /40 kibibytes/)
  assert.match(
    await server.deps.renderMetrics(),
    /beckon_visitor_budgets_spent_total\{budget="kibibytes".*\} 1/,
  )
  assert.equal((await tellFrom('192.0.2.7', server.port, brand, browser.token())).status, 200)
  const other = await webBrand(server)
  assert.equal((await (await openBrowser(server, other)).tell(event('page_viewed'))).status, 200)
  assert.equal((await logEntries(server.port, brand, [entryOf()])).status, 200)
})

test('429 when a network has sent its rows, refused ones too, and nothing of the call is stored', async () => {
  const server = await serverWith({ rows: 3 })
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('a'), { do: 'nonsense' })
  const refused = await browser.tell(event('b'), event('c'))
  assert.deepEqual([refused.status, refused.body['code']], [429, 'budget_spent'])
  const { rows } = await server.deps.database.query('select event_name from events where brand_id = $1', [
    brand.brandId,
  ])
  assert.deepEqual(rows, [{ event_name: 'a' }])
})

test('429 when a network has made its profiles: by first calls, by logging out, and by other people', async () => {
  const server = await serverWith({ profiles: 2 })
  const brand = await webBrand(server)
  const first = await openBrowser(server, brand)
  assert.equal((await first.tell(event('a'))).status, 200)
  assert.equal((await first.tell(event('b'))).status, 200)
  assert.equal((await first.tell({ do: 'logout' }, event('c'))).status, 200)
  const stranger = await openBrowser(server, brand)
  assert.equal((await stranger.tell(event('d'))).status, 429)
  assert.equal((await first.tell({ do: 'logout' }, event('e'))).status, 429)
  assert.equal((await first.tell({ do: 'user', userID: 'ann' })).status, 429)
  assert.equal((await first.tell(event('f'))).status, 200)
})

test('200: events with new names beyond the budget are refused one by one, known names go on', async () => {
  const server = await serverWith({ names: 3 })
  const brand = await webBrand(server)
  await logEntries(server.port, brand, [entryOf({ event_name: 'known', attributes: { of_server: 1 } })])
  const browser = await openBrowser(server, brand)
  const first = await browser.tell(event('one', { attributes: { a: 1, b: 2 } }))
  assert.equal(first.body['processed'], 1)
  const second = await browser.tell(
    event('one', { attributes: { a: 1 } }),
    event('two'),
    event('one', { attributes: { c: 1 } }),
    { do: 'user', user_attributes: { d: 1 } },
    event('known', { attributes: { of_server: 2 } }),
  )
  assert.deepEqual([second.status, second.body['processed']], [200, 2])
  assert.deepEqual(codes(second), [
    [1, 'too_many_names'],
    [2, 'too_many_names'],
    [3, 'too_many_names'],
  ])
  const server2 = await logEntries(server.port, brand, [entryOf({ event_name: 'three' })])
  assert.equal(server2.body['processed'], 1)
})

test('200: a brand that has as many names as browsers may bring takes no more of them', async () => {
  const server = await startServer({ budgets: { brandEventNames: 2, brandAttributes: 2 } })
  after(server.close)
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('one', { attributes: { a: 1, b: 1 } }))
  const refused = await browser.tell(
    event('one', { attributes: { c: 1 } }),
    event('one', { attributes: { a: 2 } }),
  )
  assert.deepEqual(codes(refused), [[0, 'too_many_names']])
  assert.equal((await logEntries(server.port, brand, [entryOf({ event_name: 'two' })])).body['processed'], 1)
})

test('the budgets of a new installation let a busy office work', () => {
  assert.ok(VISITOR_BUDGETS.kibibytes >= 100 * 1024)
  assert.ok(VISITOR_BUDGETS.rows >= 100_000)
})

type Port = number
type Brand = Awaited<ReturnType<typeof webBrand>>

async function tellFrom(address: string, port: Port, brand: Brand, visitor: string): Promise<Answer> {
  const headers = { origin: SITE, 'content-type': 'text/plain', 'x-forwarded-for': address }
  const path = `/api/v1/visitors/commands?key=${brand.publishableKey}`
  return call(port, { path, headers, body: JSON.stringify({ visitor, commands: [event('page_viewed')] }) })
}

function codes({ body }: Answer): readonly unknown[] {
  const { unprocessed } = body
  return Array.isArray(unprocessed) ? unprocessed.map(({ index, code }) => [index, code]) : []
}
