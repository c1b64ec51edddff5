import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CATALOGUE_LIMITS } from '../../src/rules/catalogue.ts'
import { foldTags } from '../../src/store/catalogue/tags.ts'
import { foldSeries, hasChanges } from '../../src/store/series/folding.ts'
import type { TestBrand } from '../support/database/database.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const users = new UserCalls(server)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

async function ask(query: Readonly<Record<string, string>>): Promise<Answer> {
  const path = `/api/v1/catalogue/tags?${new URLSearchParams(query).toString()}`
  return call(server.port, { path, headers: keyHeaders(brand) })
}

async function register(token: string, tags: readonly string[]): Promise<void> {
  const body = { platform: 'android', token, tags }
  const made = await call(server.port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body })
  assert.equal(made.status, 200, made.text)
}

/** Every tag that pages of two show. */
async function allTags(query: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const shown: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: Readonly<Record<string, string>> = cursor === '' ? {} : { cursor }
    const answer: Answer = await ask({ limit: '2', ...query, ...next })
    assert.equal(answer.status, 200, answer.text)
    assertDocumented({ method: 'GET', path: '/api/v1/catalogue/tags' }, answer)
    assert.equal(answer.body['estimated'], false)
    const { tags, next_cursor: more } = answer.body
    shown.push(...Array.from(Object(tags), (tag) => [Object(tag).value, Object(tag).count]))
    cursor = typeof more === 'string' ? more : null
  }
  return shown
}

test('200 pages all tags, by number or by name in any case, at once and after they were added up', async () => {
  const long = '\u{1F389}'.repeat(100)
  await register('t1', ['vip', 'New', 'İst-1', 'ist-2', long])
  await register('t2', ['vip', 'new'])
  await users.post(brand, 'create', { nv: [{ userID: 'a', tags: ['vip', '1 two'] }] })
  for (const round of ['at once', 'added up']) {
    assert.deepEqual(
      await allTags({}),
      [
        ['vip', 3],
        ['1 two', 1],
        ['New', 1],
        ['ist-2', 1],
        ['new', 1],
        ['İst-1', 1],
        [long, 1],
      ],
      round,
    )
    assert.deepEqual(
      await allTags({ sort: 'name' }),
      [
        ['1 two', 1],
        ['İst-1', 1],
        ['ist-2', 1],
        ['New', 1],
        ['new', 1],
        ['vip', 3],
        [long, 1],
      ],
      round,
    )
    assert.deepEqual(
      await allTags({ prefix: 'IST', sort: 'name' }),
      [
        ['İst-1', 1],
        ['ist-2', 1],
      ],
      round,
    )
    assert.deepEqual(
      await allTags({ prefix: 'n' }),
      [
        ['New', 1],
        ['new', 1],
      ],
      round,
    )
    assert.deepEqual(await allTags({ prefix: '%' }), [], round)
    while ((await foldTags(database, 3)) > 0);
  }
  await users.post(brand, 'delete', { nv: [{ userID: 'a' }] })
  assert.deepEqual(await allTags({ prefix: '1' }), [])
  assert.deepEqual((await allTags({}))[0], ['vip', 2])
  for (const query of [{ cursor: 'bWFkZSB1cA' }, { sort: 'size' }, { limit: '501' }])
    assert.equal((await ask(query)).status, 400, JSON.stringify(query))
})

test('200 counts the tags of a large brand one by one', async () => {
  const many = CATALOGUE_LIMITS.wholeMax * 2
  await database.query(
    `insert into profiles (brand_id, tags, created_at, updated_at)
     select $1, case when n = 77 then '{rare,all}' else '{all}' end::text[], now(), now()
     from generate_series(1, $2::integer) as n`,
    [brand.brandId, many],
  )
  assert.deepEqual(await allTags({}), [
    ['all', many],
    ['rare', 1],
  ])
  while ((await foldSeries(database, 5_000)) > 0);
  assert.equal(await hasChanges(database.queue), true)
  while ((await foldTags(database, 5_000)) > 0);
  assert.equal(await hasChanges(database.queue), false)
  assert.deepEqual(await allTags({}), [
    ['all', many],
    ['rare', 1],
  ])
})

test('200 shows when a tag was last given, and no tag of another brand', async () => {
  await register('t1', ['vip', 'old'])
  while ((await foldTags(database, 100)) > 0);
  await database.query(`update tag_counts set last_seen_at = '2026-01-02T03:04:05Z' where brand_id = $1`, [
    brand.brandId,
  ])
  await users.post(brand, 'create', { nv: [{ userID: 'a', tags: ['vip'] }] })
  await register('t1', ['old'])
  for (const round of ['at once', 'added up']) {
    const { body } = await ask({ sort: 'name' })
    const [old, vip] = Array.from(Object(body['tags']), (tag) => Object(tag))
    assert.deepEqual(old, { value: 'old', count: 1, last_seen: '2026-01-02T03:04:05.000Z' }, round)
    assert.deepEqual([vip.value, vip.count], ['vip', 1], round)
    assert.ok(Math.abs(Date.parse(vip.last_seen) - Date.now()) < 600_000, vip.last_seen)
    while ((await foldTags(database, 100)) > 0);
  }
  brand = await server.brand()
  assert.deepEqual(await allTags({}), [])
})
