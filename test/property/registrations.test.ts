import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { addressOf } from '../../src/domain/subscriptions/registration-plan.ts'
import type { Registration } from '../../src/domain/subscriptions/subscription.ts'
import { saveRegistrations } from '../../src/store/subscriptions/registrations.ts'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { registrationOf } from '../support/subscriptions/registration.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })
const TOKEN = fc.constantFrom('t1', 't2', 't3', 't4')
const REGISTRATION = fc
  .record({
    device: fc.oneof(
      fc.record({ kind: fc.constant('android' as const), token: TOKEN }),
      fc.record({
        kind: fc.constant('ios' as const),
        token: TOKEN,
        environment: fc.constantFrom('production' as const, 'sandbox' as const),
      }),
    ),
    deviceId: orNull(fc.constantFrom('d1', 'd2', 'd3')),
    subscriptionId: orNull(fc.constantFrom('s1', 's2')),
    tags: orNull(fc.subarray(['a', 'b'])),
    userId: orNull(fc.constantFrom('u1', 'u2')),
  })
  .map((change) => registrationOf(change))

test('a batch leaves what its registrations leave one by one: the last word about each device, once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(REGISTRATION, { minLength: 1, maxLength: 12 }), async (registrations) => {
      const [together, apart] = [await brand(), await brand()]
      await save(together.brandId, registrations)
      for (const registration of registrations) await save(apart.brandId, [registration])
      const left = await load(apart.brandId)
      assert.deepEqual(await load(together.brandId), left)
      const last = registrations.at(-1)
      assert.ok(last)
      const found = left.filter(
        ({ address, platform }) => address === addressOf(last.device) && platform === last.device.kind,
      )
      assert.ok(found.length === 1 || isRefused(last, left))
    }),
    { numRuns: atLength(300) },
  )
})

/** The one reason for which a registration leaves no row: its id belongs to the other platform. */
function isRefused(last: Registration, left: readonly Row[]): boolean {
  return left.some(
    ({ isNamed, name, platform }) => isNamed && name === last.subscriptionId && platform !== last.device.kind,
  )
}

async function save(brandId: number, registrations: readonly Registration[]): Promise<void> {
  await database.asBrand(brandId, async (tx) =>
    saveRegistrations(tx, { brandId, registrations, now: 0, source: 'device' }),
  )
}

type Row = {
  readonly platform: string
  readonly address: string
  readonly name: string
  readonly isNamed: boolean
}

async function load(brandId: number): Promise<readonly Row[]> {
  const { rows } = await database.query<Row>(
    `select platform, address, device_id as "deviceId", tags, length(subscription_id) < 36 as "isNamed",
       case when length(subscription_id) < 36 then subscription_id end as name,
       (select value from profile_identities as known
        where known.brand_id = $1 and known.profile_id = subscriptions.profile_id) as "userId"
     from subscriptions where brand_id = $1 order by platform, address`,
    [brandId],
  )
  return rows
}
