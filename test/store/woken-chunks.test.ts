import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Platform } from '../../src/rules/platforms.ts'
import { wakeChunks } from '../../src/store/push/postpone.ts'
import { freshDatabase } from '../support/database/database.ts'
import { planDue } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

/** Which chunks of a brand may be claimed now, by the column `zone`, in which the test keeps their names. */
async function readyChunks(brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select zone as name from chunks where brand_id = $1 and leased_by is null and ready_at <= clock_timestamp()
     order by zone`,
    [brandId],
  )
  return rows.map(({ name }) => name)
}

test('a new credential wakes the chunks that a worker gave back, and neither a throttled one nor a retry', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 1 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const copy = async (name: string, columns: string) =>
    database.query(
      `insert into chunks (brand_id, platform, notification_id, first_id, last_id, zone, remaining, is_bulk, ready_at,
         expires_at, claims, attempt, leased_by, leased_until)
       select brand_id, platform, notification_id, first_id, last_id, $2, remaining, is_bulk, made.ready_at,
         expires_at, made.claims, made.attempt, made.leased_by, made.leased_until
       from chunks, (select ${columns}) as made (claims, attempt, leased_by, leased_until, ready_at)
       where brand_id = $1 and zone is null`,
      [brandId, name],
    )
  const later = `clock_timestamp() + interval '1 hour'`
  const free = `null::text, null::timestamptz, ${later}`
  await copy('given back', `1, 1, ${free}`)
  await copy('throttled', `0, 1, ${free}`)
  await copy('retried', `1, 2, ${free}`)
  await copy('in work', `1, 1, 'worker', ${later}, ${later}`)
  await database.query('delete from chunks where brand_id = $1 and zone is null', [brandId])
  const wake = async (platform: Platform) =>
    database.asBrand(brandId, async (tx) => wakeChunks(tx, { brandId, platform }))
  await wake('ios')
  assert.deepEqual(await readyChunks(brandId), [])
  await wake('android')
  assert.deepEqual(await readyChunks(brandId), ['given back'])
})
