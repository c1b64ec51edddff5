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

test('200 page by page in the order of the instants, whatever the opt-outs of one holder lie apart', async () => {
  const { database } = server.deps
  const { brandId } = brand
  // Twelve instants for sixty holders, so that many opt-outs share an instant and many holders have several.
  await database.query(
    `insert into profiles (brand_id, opt_outs, created_at, updated_at)
     select $1, jsonb_object_agg(topic, at), now(), now() from generate_series(1, 60) as n
     cross join lateral (
       select 'topic-' || t as topic, to_char(timestamp '2026-01-01' + ((n * 7 + t * 5) % 12) * interval '1 hour',
         'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as at
       from generate_series(0, n % 3) as t
     ) as held group by n`,
    [brandId],
  )
  const { rows: all } = await database.query<{ key: string }>(
    `select held.topic || ' ' || held.since as key from profiles as p
     cross join lateral jsonb_each_text(p.opt_outs) as held (topic, since) where p.brand_id = $1`,
    [brandId],
  )
  for (const query of ['', '&topic=topic-1', '&from=2026-01-01T05:00:00Z']) {
    const found: string[] = []
    const marks: string[] = []
    let cursor = ''
    do {
      const { body, status, text } = await ask(`${PATH}?limit=7${query}${cursor}`)
      assert.equal(status, 200, text)
      for (const { topic, at } of Array.from(Object(body['opt_outs']), Object)) {
        found.push(`${topic} ${at}`)
        marks.push(String(at))
      }
      const next = body['next_cursor']
      cursor = typeof next === 'string' ? `&cursor=${next}` : ''
    } while (cursor !== '')
    const wanted = all
      .map(({ key }) => key)
      .filter((key) => !query.startsWith('&topic') || key.startsWith('topic-1 '))
      .filter((key) => !query.startsWith('&from') || key.slice(-24) >= '2026-01-01T05')
    assert.deepEqual(found.toSorted(), wanted.toSorted(), query)
    assert.deepEqual(marks, marks.toSorted().toReversed(), query)
  }
})
