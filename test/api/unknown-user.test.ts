import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf } from '../support/events/events.ts'
import { apiOf, startJourney } from '../support/journeys/runs.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const { port, brand, close } = await startServer()
after(close)

const JOURNEY = {
  trigger: { event: 'signup' },
  goal: { event: 'verified' },
  steps: [{ id: 'wait', wait: { minutes: 10 } }],
}

const entry = (userID: string, name: string): object => entryOf({ userID, event_name: name })

/** The warnings of a call, as `index:field:code`. */
async function warned(own: TestBrand, nv: readonly object[], key?: string): Promise<readonly string[]> {
  const headers = { ...keyHeaders(own), ...(key !== undefined && { 'idempotency-key': key }) }
  const { status, body, text } = await call(port, { path: '/api/event', headers, body: { nv } })
  assert.equal(status, 200, text)
  const { warnings = [] } = body
  assert.ok(Array.isArray(warnings))
  return warnings.map(({ index, field, code }) => `${index}:${field}:${code}`)
}

for (const isMerging of [false, true])
  test(`200 with unknown_user for an event that would start a journey of an unknown person: merging ${isMerging}`, async () => {
    const own = await brand()
    const api = apiOf(port, own)
    await api('PATCH', '/api/v1/brand', { profile_merging: isMerging })
    await startJourney(api, JOURNEY)
    await api('POST', '/api/v1/user/create', { nv: [{ userID: 'known' }] })

    const mixed = [entry('known', 'signup'), entry('new-1', 'signup'), entry('new-2', 'verified')]
    assert.deepEqual(await warned(own, mixed), ['1:userID:unknown_user'])
    // By now the people are known, so that their events start the journey.
    assert.deepEqual(await warned(own, mixed), [])
    assert.deepEqual(await warned(own, [entry('new-3', 'signup')], 'a-key'), ['0:userID:unknown_user'])
    assert.deepEqual(await warned(own, [entry('new-3', 'signup')], 'a-key'), ['0:userID:unknown_user'])
  })

test('200 without a warning for an unknown person while no active journey begins with the event', async () => {
  const own = await brand()
  const api = apiOf(port, own)
  assert.deepEqual(await warned(own, [entry('new-1', 'signup')]), [])
  const created = await api('POST', '/api/v1/journeys', { name: 'draft', ...JOURNEY })
  assert.equal(created.status, 200, created.text)
  assert.deepEqual(await warned(own, [entry('new-2', 'signup')], 'a-key'), [])
})
