import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { unreachable } from '../../src/domain/unreachable.ts'
import { foldTags, listTags, type TagMark } from '../../src/store/catalogue/tags.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { atLength } from '../support/length.ts'
import { recountTags } from '../support/people/tag-recount.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const { port, deps } = server
const { database } = deps
const users = new UserCalls(server)

const USER = fc.constantFrom('a', 'b', 'c')
const TAGS = fc.subarray(['vip', 'VIP', 'İst', 'ist', 'new', '50%'])
const DEVICE = fc.constantFrom('d1', 'd2', 'd3')
const DEED = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tag' as const), userID: USER, tags: TAGS }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('register' as const),
      device: DEVICE,
      tags: TAGS,
      userID: fc.option(USER),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('meet' as const), userID: USER }) },
  fc.record({ kind: fc.constant('part' as const), userID: USER }),
  fc.record({ kind: fc.constant('erase' as const), userID: USER }),
  fc.record({ kind: fc.constant('leave' as const), device: DEVICE }),
  fc.record({ kind: fc.constant('delete' as const), device: DEVICE }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fold' as const), rows: fc.integer({ min: 1, max: 4 }) }),
  },
  fc.record({ kind: fc.constant('die' as const), rows: fc.integer({ min: 1, max: 4 }) }),
)
type Deed = typeof DEED extends fc.Arbitrary<infer Value> ? Value : never

async function act(brand: TestBrand, deed: Deed): Promise<void> {
  const { brandId } = brand
  const headers = keyHeaders(brand)
  switch (deed.kind) {
    case 'tag':
      await users.post(brand, 'create', { nv: [{ userID: deed.userID, tags: deed.tags }] })
      return
    case 'register': {
      const owner = deed.userID === null ? {} : { user_id: deed.userID }
      const body = {
        platform: 'android',
        token: `token-${deed.device}`,
        subscription_id: deed.device,
        tags: deed.tags,
        ...owner,
      }
      const made = await call(port, { path: '/api/v1/subscriptions', headers, body })
      assert.equal(made.status, 200, made.text)
      return
    }
    case 'meet':
      await users.post(brand, 'create', { nv: [{ userID: deed.userID, email: '1@x.example' }] })
      return
    case 'part':
      await users.post(brand, 'unmerge', { userID: deed.userID })
      return
    case 'erase':
      await users.post(brand, 'delete', { nv: [{ userID: deed.userID }] })
      await catchUp(database, brandId)
      return
    case 'leave':
      await call(port, { method: 'POST', path: `/api/v1/subscriptions/${deed.device}/unsubscribe`, headers })
      return
    case 'delete':
      await call(port, { method: 'DELETE', path: `/api/v1/subscriptions/${deed.device}`, headers })
      return
    case 'fold':
      await foldTags(database, deed.rows)
      return
    case 'die':
      // A worker that is killed leaves a transaction that is rolled back.
      await assert.rejects(
        database.asEngine(async (tx) => {
          await tx.query('delete from tag_changes where brand_id = $1', [brandId])
          throw new Error('killed')
        }),
      )
      return
    default:
      unreachable(deed)
  }
}

/** All tags, read in pages of two. */
async function readAll(
  brandId: number,
  sort: TagMark['sort'],
  begin: TagMark | null = null,
): Promise<readonly (readonly [string, number])[]> {
  const { rows } = await database.asBrand(brandId, async (tx) =>
    listTags(tx, { brandId, prefix: '', sort, after: begin, limit: 2 }),
  )
  const last = rows.at(-1)
  if (last === undefined) return []
  const tag = last.value
  const mark: TagMark = sort === 'name' ? { sort, tag } : { sort, tag, count: BigInt(last.count) }
  const read = rows.map(({ value, count }): readonly [string, number] => [value, count])
  return [...read, ...(await readAll(brandId, sort, mark))]
}

async function check(brandId: number): Promise<void> {
  const wanted = [...(await recountTags(database, brandId))]
  const byName = await readAll(brandId, 'name')
  assert.deepEqual(byName.toSorted(byText), wanted)
  const byCount = await readAll(brandId, 'count')
  assert.deepEqual(
    byCount,
    wanted.toSorted(([, left], [, right]) => right - left),
  )
}

function byText([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

test('whatever is tagged, registered, merged, parted, erased and deleted, tags are counted as a recount finds them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DEED, { minLength: 8, maxLength: 25 }), async (deeds) => {
      const brand = await users.mergingBrand()
      for (const deed of deeds) await act(brand, deed)
      await check(brand.brandId)
      await catchUp(database, brand.brandId)
      while ((await foldTags(database, 100)) > 0);
      await check(brand.brandId)
      const { count } = await database.query('select from tag_counts where brand_id = $1 and count <= 0', [
        brand.brandId,
      ])
      assert.equal(count, 0, 'a tag that nobody carries is left')
    }),
    { numRuns: atLength(60), endOnFailure: true },
  )
})
