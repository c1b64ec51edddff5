import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseFilter } from '../../src/domain/segments/filter.ts'
import { OLD_EVENTS_REASON } from '../../src/rules/event-files.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { changeSegment } from '../../src/store/segments/segments.ts'
import { freshDatabase } from '../support/database/database.ts'
import { acceptNotification } from '../support/push/notifications.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const WAITS_MS = [7_200_000, 3_600_000, 10_800_000] as const

/** A brand with a segment, and with notifications and journeys that wait for so long because of old events. */
async function waitingBrand(waits: readonly number[] = WAITS_MS): Promise<Waiting> {
  const { brandId } = await brand()
  const { rows } = await database.query<{ id: bigint }>(
    `insert into segments (brand_id, name, filter, created_at, updated_at) values ($1, 'a', '{"tag": "a"}', now(), now())
     returning id`,
    [brandId],
  )
  for (const waitMs of waits) {
    const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
    const at = new Date(Date.now() + waitMs)
    await database.query(
      'update notifications set plan_at = $3, reason = $4, tag = $5 where brand_id = $1 and id = $2',
      [brandId, id, at, OLD_EVENTS_REASON, String(waitMs)],
    )
    await database.query(
      `insert into journeys (brand_id, name, state, scan_at, scan_reason, created_at, updated_at)
       values ($1, $4, 'active', $2, $3, now(), now())`,
      [brandId, at, OLD_EVENTS_REASON, String(waitMs)],
    )
  }
  return { brandId, id: rows[0]?.id ?? assert.fail('no segment') }
}

type Waiting = { readonly brandId: number; readonly id: bigint }

async function changeFilter({ brandId, id }: Waiting, tag: string): Promise<void> {
  const filter = parseFilter({ tag }, 'filter')
  assert.ok(filter.ok)
  const change = { name: null, filter: { filter: filter.value, size: 0 }, now: Date.now() }
  const changed = await database.asSystem(brandId, async (tx) => changeSegment(tx, { brandId, id }, change))
  assert.deepEqual(changed?.filter, { tag })
}

/** In how many minutes each will be tried, the one with the shortest wait first. */
async function minutesOf({ brandId }: Waiting): Promise<readonly object[]> {
  const { rows } = await database.query(
    `select ${minutesUntil('plan_at')} as notification, ${minutesUntil('scan_at')} as journey
     from notifications as n join journeys as j on j.brand_id = n.brand_id and j.name = n.tag
     where n.brand_id = $1 order by n.tag::integer`,
    [brandId],
  )
  return rows
}

function minutesUntil(at: string): string {
  return `round(extract(epoch from ${at} - clock_timestamp()) / 60)::integer`
}

function both(...minutes: readonly number[]): readonly object[] {
  return minutes.map((each) => ({ notification: each, journey: each }))
}

test('a filter that is written again as it was hastens nothing', async () => {
  const one = await waitingBrand()
  await changeFilter(one, 'a')
  assert.deepEqual(await minutesOf(one), both(60, 120, 180))
})

test('another filter makes all that waits come one by one, in the order of their waits', async () => {
  const one = await waitingBrand()
  await changeFilter(one, 'b')
  assert.deepEqual(await minutesOf(one), both(0, 1, 2))
})

test('a notification that is being planned keeps its lease', async () => {
  const one = await waitingBrand([-1_000])
  const leasedUntil = async (): Promise<unknown> =>
    (await database.query('select plan_at from notifications where brand_id = $1', [one.brandId])).rows
  const claims = await claimPlans(database, { count: 50, leaseMs: 60_000 })
  assert.equal(claims.filter(({ brandId }) => brandId === one.brandId).length, 1)
  const lease = await leasedUntil()
  await changeFilter(one, 'b')
  assert.deepEqual(await leasedUntil(), lease)
})
