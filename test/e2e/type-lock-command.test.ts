import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runBeckon } from '../support/processes/beckon.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)

test('beckon type-lock reset lets the next value decide the type; a name that has no lock is told', async () => {
  const brand = await server.brand()
  const { brandId, externalId } = brand
  const nv = [{ userID: 'ann', event_name: 'order placed', attributes: { price: 'cheap' } }]
  const logged = await call(server.port, { path: '/api/event', headers: keyHeaders(brand), body: { nv } })
  assert.equal(logged.status, 200)
  const environment = { DATABASE_URL: server.url, BECKON_SECRET: 's'.repeat(32) }
  const reset = async (...args: readonly string[]) =>
    runBeckon(['type-lock', 'reset', externalId, ...args], environment)
  const provisional = async () => {
    const { rows } = await server.deps.database.query<{ is_provisional: boolean }>(
      'select is_provisional from attribute_locks where brand_id = $1',
      [brandId],
    )
    return rows.map((row) => row.is_provisional)
  }
  for (const wrong of [['price'], ['prize', '--event', 'order placed']]) {
    const { code, stderr } = await reset(...wrong)
    assert.equal(code, 1)
    assert.match(stderr, /^Brand \S+ has no attribute \w+ of /)
  }
  assert.deepEqual(await provisional(), [false])
  const { code, stdout } = await reset('price', '--event', 'order placed')
  assert.equal(code, 0)
  assert.match(stdout, /^The attribute price of the event order placed was String\./)
  assert.deepEqual(await provisional(), [true])
  const { rows } = await server.deps.database.query<{ actor: string; id: string }>(
    `select actor, subject_id as id from audit where brand_id = $1 and subject_type = 'type_lock'`,
    [brandId],
  )
  assert.deepEqual(rows, [{ actor: 'cli', id: 'order placed:price' }])
})
