import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { push } from '../support/push/calls.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { port, deps, brand, close } = await startServer()
after(close)

const mine = await brand()
await seedSubscriptions(deps.database, { brandId: mine.brandId, count: 3 })

async function storedCount(): Promise<number> {
  const { rows } = await deps.database.query('select from notifications where brand_id = $1', [mine.brandId])
  return rows.length
}

const MISSPELT = [
  ['tags', ['vip'], 'tag'],
  ['dryRun', true, 'dry_run'],
  ['scheduled_date', '2030-01-01', 'schedule_date'],
  ['send_at', '2030-01-01T00:00:00Z', 'schedule_date'],
  ['userID', 'ann', 'user_id'],
  ['segmentId', 7, 'segment_id'],
  ['body', 'Hello', 'message'],
] as const
for (const [field, value, meant] of MISSPELT) {
  test(`400 for a broadcast with ${field}: it would have reached everybody, now`, async () => {
    const { status, body } = await push(port, mine, { mode: 'all', body: { [field]: value } })
    assert.equal(status, 400)
    assert.equal(body['code'], 'unknown_field')
    assert.equal(body['message'], `Unknown field ${field}. Did you mean ${meant}? Nothing was sent.`)
    assert.equal(body['warnings'], undefined, 'it was refused, not ignored')
    assert.equal(await storedCount(), 0)
  })
}

test('400 for ?dry_run=true: the parameters of a push stand in its body', async () => {
  const { status, body } = await push(port, mine, { path: '/api/v1/android/broadcast/all?dry_run=true' })
  assert.deepEqual([status, body['code']], [400, 'unknown_parameter'])
  assert.equal(body['message'], 'Unknown query parameter dry_run. The fields of this call stand in its body.')
  assert.equal(await storedCount(), 0)
})

test('400 for an unknown query parameter of any call that writes, 200 for one of a read', async () => {
  const headers = keyHeaders(mine)
  const written = await call(port, { method: 'PATCH', path: '/api/v1/brand?name=x', headers, body: {} })
  assert.deepEqual([written.status, written.body['code']], [400, 'unknown_parameter'])
  assert.equal((await call(port, { method: 'GET', path: '/api/v1/brand?x=1', headers })).status, 200)
})

test('400 for another reason still names the fields that are unknown', async () => {
  const { status, body } = await push(port, mine, { mode: 'all', body: { title: '', colour: 'red' } })
  assert.deepEqual([status, body['code']], [400, 'field_empty'])
  assert.deepEqual(body['warnings'], [
    { field: 'colour', code: 'unknown_field', message: 'Unknown field, ignored.' },
  ])
})
