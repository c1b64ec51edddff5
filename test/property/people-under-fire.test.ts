import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { unreachable } from '../../src/domain/unreachable.ts'
import { countBrand } from '../../src/pipeline/events/counting.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp, findMiscounts } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { atLength } from '../support/length.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const users = new UserCalls(server)

/** Few people and few addresses, so that everything meets. */
const USER = fc.constantFrom('a', 'b', 'c', 'd')
const EMAIL = fc.constantFrom('1@x.example', '2@x.example', '3@x.example')

const DEED = fc.oneof(
  fc.record({ kind: fc.constant('log' as const), userID: USER }),
  fc.record({ kind: fc.constant('merge' as const), userID: USER, email: EMAIL }),
  fc.record({ kind: fc.constant('create' as const), userID: USER, email: EMAIL }),
  fc.record({ kind: fc.constant('erase' as const), userID: USER }),
  fc.record({ kind: fc.constant('unmerge' as const), userID: USER }),
  fc.record({ kind: fc.constant('count' as const) }),
)
type Deed = typeof DEED extends fc.Arbitrary<infer Value> ? Value : never

async function act(brand: TestBrand, deed: Deed): Promise<number> {
  switch (deed.kind) {
    case 'log':
      return (await logEntries(port, brand, [entryOf({ userID: deed.userID, ltv: '1' })])).status
    case 'merge':
      return (await logEntries(port, brand, [entryOf({ ...deed, kind: undefined })])).status
    case 'create':
      return (await users.post(brand, 'create', { nv: [{ userID: deed.userID, email: deed.email }] })).status
    case 'erase':
      return (await users.post(brand, 'delete', { nv: [{ userID: deed.userID }] })).status
    case 'unmerge':
      return (await users.post(brand, 'unmerge', { userID: deed.userID })).status
    case 'count':
      await countBrand(deps.database, brand.brandId)
      return 200
    default:
      return unreachable(deed)
  }
}

async function findStrays({ brandId }: TestBrand): Promise<readonly unknown[]> {
  const { rows } = await deps.database.query(
    `select 'an event of nobody' as what, e.id from events as e
     where e.brand_id = $1 and not exists (select from profiles as p where p.brand_id = $1 and p.id = e.profile_id)
     union all
     select 'a profile without a name', p.id from profiles as p
     where p.brand_id = $1 and not exists (
       select from profile_identities as i where i.brand_id = $1 and i.profile_id = p.id)
     union all
     select 'a name with another time', i.profile_id from profile_identities as i
     join profiles as p on p.brand_id = $1 and p.id = i.profile_id
     where i.brand_id = $1 and i.profile_created_at <> p.created_at`,
    [brandId],
  )
  return rows
}

test('whatever is logged, merged, parted and erased at once, events have people, people names, and counters are right', async () => {
  const clients = fc.array(fc.array(DEED, { minLength: 4, maxLength: 8 }), { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(clients, async (lists) => {
      const brand = await users.mergingBrand()
      const statuses = await Promise.all(
        lists.map(async (deeds) => {
          const seen: number[] = []
          for (const deed of deeds) seen.push(await act(brand, deed))
          return seen
        }),
      )
      await catchUp(deps.database, brand.brandId)
      assert.deepEqual(await findStrays(brand), [])
      assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
      assert.deepEqual(
        statuses.flat().filter((status) => ![200, 404, 409].includes(status)),
        [],
      )
    }),
    { numRuns: atLength(90), endOnFailure: true },
  )
})
