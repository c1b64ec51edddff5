import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const PATH = '/api/v1/opt_outs'

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const ask = async (path: string, body?: object, method?: string): Promise<Answer> => {
  const given = { ...(body === undefined ? {} : { body }), ...(method === undefined ? {} : { method }) }
  return call(server.port, { path, headers: keyHeaders(brand), ...given })
}
const optOut = async (path: string, body: object): Promise<void> => {
  const answer = await ask(path, body, 'PUT')
  assert.equal(answer.status, 200, answer.text)
}
const listed = async (query: string): Promise<readonly unknown[]> => {
  const answer = await ask(`${PATH}${query}`)
  assert.equal(answer.status, 200, answer.text)
  return Array.from(Object(answer.body['opt_outs']), (row) => {
    const { topic, user_id: user, platform } = Object(row)
    return [topic, user, platform]
  })
}

test('200 lists the opt-outs of people and devices that hold, the newest first', async () => {
  await ask('/api/v1/topics', { name: 'offers', title: 'Offers' })
  await ask('/api/v1/user/create', { nv: [{ userID: 'ada' }, { userID: 'grace' }] })
  const made = await ask('/api/v1/subscriptions', { platform: 'android', token: 't', user_id: 'grace' })
  const device = String(Object(made.body['subscription']).subscription_id)
  assert.deepEqual(await listed(''), [])
  await optOut('/api/v1/user/preferences', { userID: 'ada', opt_outs: ['offers'] })
  await optOut(`/api/v1/subscriptions/${device}/preferences`, { opt_outs: ['offers', '*'] })
  const all = await listed('')
  assert.equal(all.length, 3)
  assert.deepEqual(all.at(-1), ['offers', 'ada', null])
  assert.deepEqual(await listed('?topic=*'), [['*', 'grace', 'android']])
  assert.deepEqual(await listed('?from=2999-01-01T00:00:00Z'), [])

  const first = await ask(`${PATH}?limit=2`)
  const second = await listed(`?limit=2&cursor=${String(first.body['next_cursor'])}`)
  assert.deepEqual(second, [['offers', 'ada', null]])
  assert.equal((await ask(`${PATH}?cursor=x`)).body['code'], 'field_invalid')

  await optOut('/api/v1/user/preferences', { userID: 'ada', opt_outs: [] })
  assert.equal((await listed('')).length, 2)
  const other = await server.brand()
  const theirs = await call(server.port, { path: PATH, headers: keyHeaders(other) })
  assert.deepEqual(theirs.body['opt_outs'], [])
})
