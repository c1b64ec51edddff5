import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LIVE_LIMITS } from '../../src/rules/live.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { openStream, type TestStream, valueIn } from '../support/live/streams.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port } = server
after(server.close)

test('an export streams every event once, as NDJSON and as CSV', async () => {
  const mine = await server.brand()
  const nv = Array.from({ length: 1000 }, (_, at) =>
    entryOf({ userID: `u${at}`, attributes: { n: at, q: 'a"b,\nc' } }),
  )
  await logEntries(port, mine, nv)
  await logEntries(port, mine, nv)
  await logEntries(port, mine, [entryOf()])
  const headers = keyHeaders(mine)
  const ndjson = await call(port, { path: '/api/v1/events/export', headers })
  const lines = ndjson.text.trimEnd().split('\n')
  assert.equal(lines.length, 2001)
  assert.equal(new Set(lines.map((line) => JSON.parse(line).id)).size, 2001)
  assert.match(String(ndjson.headers['content-type']), /ndjson/)
  const csv = await call(port, { path: '/api/v1/events/export?format=csv&userID=u7', headers })
  const [header, ...rows] = csv.text.trimEnd().split('\r\n')
  assert.match(header ?? '', /^id,userID,event_name/)
  assert.equal(rows.length, 2)
  assert.match(rows[0] ?? '', /"\{""n"":7,""q"":""a\\""b,\\nc""\}"/)
})

test('no cell of an export is a formula to a spreadsheet; NDJSON is exact', async () => {
  const mine = await server.brand()
  const formula = '=HYPERLINK("https://evil.example")'
  await logEntries(port, mine, [entryOf({ userID: formula, event_name: '-1 day', ltv: '-5' })])
  const headers = keyHeaders(mine)
  const csv = await call(port, { path: '/api/v1/events/export?format=csv', headers })
  assert.ok(csv.text.includes(`,"'=HYPERLINK(""https://evil.example"")",'-1 day,`), csv.text)
  assert.ok(csv.text.includes(',-5,'), csv.text)
  const ndjson = await call(port, { path: '/api/v1/events/export', headers })
  assert.equal(JSON.parse(ndjson.text).userID, formula)
})

test('a live tail shows what is logged, and goes on from where it was left', async () => {
  const mine = await server.brand()
  const first = await openTail(mine)
  await first.named('listening')
  await logEntries(port, mine, [entryOf({ userID: 'live', attributes: { n: 1 } })])
  const { lastId } = await first.named('event')
  first.close()
  await logEntries(port, mine, [entryOf({ userID: 'later' })])
  const second = await openTail(mine, { 'last-event-id': lastId })
  assert.equal(valueIn(await second.named('event'), 'event.userID'), 'later')
  second.close()
})

test('a live tail in a flood says how many events it skipped', async () => {
  const mine = await server.brand()
  const tail = await openTail(mine)
  await tail.named('listening')
  await logEntries(
    port,
    mine,
    Array.from({ length: 1000 }, () => entryOf()),
  )
  assert.equal((await tail.named('gap')).data['skipped'], 1000 - LIVE_LIMITS.tailEventsMax)
  assert.equal(tail.events.filter(({ event }) => event === 'event').length, LIVE_LIMITS.tailEventsMax)
  tail.close()
})

async function openTail(
  mine: TestBrand,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestStream> {
  return openStream(port, { path: '/api/v1/events/tail', headers: { ...keyHeaders(mine), ...headers } })
}
