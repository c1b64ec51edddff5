import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)

const ROWS = 60

async function post(brand: TestBrand, path: string, body: object): Promise<Answer> {
  const answer = await call(server.port, { path, headers: keyHeaders(brand), body })
  assert.equal(answer.status, 200, answer.text.slice(0, 500))
  return answer
}

/** Reads all pages of a list. A page is as large as its bound allows, and at most one row larger. */
async function readAllPages(read: (cursor: string | null) => Promise<Answer>, noun: string) {
  const rows: JsonObject[] = []
  for (let cursor: string | null = null, pages = 1; ; pages += 1) {
    const { status, text, body } = await read(cursor)
    assert.equal(status, 200, text.slice(0, 500))
    const page = body[noun]
    assert.ok(Array.isArray(page) && page.length > 0)
    const rest = text.length - JSON.stringify(page.at(-1)).length
    assert.ok(rest <= LIMITS.pageBytesMax + 10_000, `${rest} bytes before the last row`)
    rows.push(...page.filter(isJsonObject))
    const { next_cursor: next } = body
    if (typeof next !== 'string') return { rows, pages }
    cursor = next
  }
}

const listed = (brand: TestBrand, path: string) => async (cursor: string | null) => {
  const place = cursor === null ? '' : `&cursor=${cursor}`
  const separator = path.includes('?') ? '&' : '?'
  return call(server.port, { path: `${path}${separator}limit=500${place}`, headers: keyHeaders(brand) })
}

/** An event of nearly 64 KB. */
function largeEvent(at: number): object {
  const attributes = Object.fromEntries(
    Array.from({ length: 190 }, (_, name) => [`k${name}`, 'y'.repeat(250)]),
  )
  return { userID: 'ann', event_name: 'order', event_id: `e${at}`, attributes }
}

test('a page of large events ends after 1 MiB, and its cursor goes on; exports and userData show each once', async () => {
  const brand = await server.brand()
  const ids = Array.from({ length: ROWS }, (_, at) => `e${at}`)
  await post(brand, '/api/event', { nv: ids.map((_, at) => largeEvent(at)) })
  for (const path of ['/api/v1/events', '/api/v1/events?userID=ann']) {
    const { rows, pages } = await readAllPages(listed(brand, path), 'events')
    assert.deepEqual(rows.map(({ event_id }) => String(event_id)).toSorted(), ids.toSorted())
    assert.ok(pages >= 3, String(pages))
  }
  const headers = keyHeaders(brand)
  const { text } = await call(server.port, { path: '/api/v1/events/export', headers })
  assert.equal(text.trim().split('\n').length, ROWS)
  const { body } = await call(server.port, { path: '/api/v1/user/userData?userID=ann', headers })
  const { profile } = body
  assert.ok(isJsonObject(profile) && isJsonObject(profile['records']))
  const { events } = profile['records']
  assert.ok(Array.isArray(events))
  assert.deepEqual(events.map(({ event_id }) => String(event_id)).toSorted(), ids.toSorted())
})

test('a page of large segments, journeys, profiles or devices ends after 1 MiB, and its cursor goes on', async () => {
  const brand = await server.brand()
  const users = Array.from({ length: 4_000 }, (_, at) => `${'u'.repeat(90)}${at}`)
  const filter = { users }
  const tags = Array.from({ length: 100 }, (_, at) => `${'🙂'.repeat(90)}${at}`)
  const attributes = Object.fromEntries(
    Array.from({ length: 250 }, (_, name) => [`k${name}`, 'y'.repeat(900)]),
  )
  for (let at = 0; at < 6; at += 1) {
    await post(brand, '/api/v1/segments', { name: `s${at}`, filter })
    const steps = [{ id: 'check', branch: { filter, yes: 'end', no: 'end' } }]
    await post(brand, '/api/v1/journeys', { name: `j${at}`, trigger: { event: 'order' }, steps })
    await post(brand, '/api/v1/user/create', {
      nv: [{ userID: `p${at}`, user_attributes: attributes }],
    })
  }
  await post(brand, '/api/event', {
    nv: Array.from({ length: 6 }, (_, at) => ({ userID: `p${at}`, event_name: 'order', attributes: {} })),
  })
  for (let at = 0; at < 40; at += 1) {
    await post(brand, '/api/v1/subscriptions', { platform: 'android', token: `token-${at}`, tags })
  }
  for (const [path, noun, count] of [
    ['/api/v1/segments', 'segments', 6],
    ['/api/v1/journeys', 'journeys', 6],
    ['/api/v1/subscriptions', 'subscriptions', 40],
  ] as const) {
    const { rows, pages } = await readAllPages(listed(brand, path), noun)
    assert.deepEqual([noun, rows.length], [noun, count])
    assert.ok(pages >= 2, `${noun}: ${pages}`)
  }
  const span = { event_name: 'order', from: '2020-01-01', to: '2100-01-01', batch_size: 500 }
  const people = await readAllPages(
    async (cursor) => post(brand, '/api/v1/user/profile', cursor === null ? span : { ...span, cursor }),
    'profiles',
  )
  assert.equal(people.rows.length, 6)
  assert.ok(people.pages >= 2)
})
