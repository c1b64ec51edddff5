import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ClaimedChunk, claimChunks } from '../../src/store/push/chunks.ts'
import { expireChunks } from '../../src/store/push/end-chunks.ts'
import { openPlainChunks } from '../../src/store/push/open-chunks.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { releaseSends } from '../../src/store/push/release.ts'
import { freshDatabase } from '../support/database/database.ts'
import { anyContent, inLanguages } from '../support/push/content.ts'
import { acceptNotification, type NotificationSeed } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const CLAIM = { workerId: 'test', count: 100, leaseMs: 600_000, sizes: 'any' } as const
const ANN = { kind: 'user', userId: 'ann' } as const

/** A send to one person, claimed; `change` is made to its brand and its notification before. */
async function claimSend(
  change: (brandId: number, id: string) => Promise<unknown>,
  seed: Partial<NotificationSeed> = {},
): Promise<ClaimedChunk> {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const id = await acceptNotification(database, { brandId, ...seed, target: ANN })
  await change(brandId, id)
  const found = (await claimChunks(database, CLAIM)).find((chunk) => chunk.brandId === brandId)
  assert.ok(found !== undefined)
  return found
}

/** Sets columns of the notification. */
function setting(columns: string) {
  return async (brandId: number, id: string): Promise<unknown> =>
    database.query(`update notifications set ${columns} where brand_id = $1 and id = $2`, [brandId, id])
}

/** Sets columns of the brand. The notification has a topic, so that they concern it. */
function ofBrand(columns: string) {
  return async (brandId: number, id: string): Promise<unknown> => {
    await setting(`topic = 'offers'`)(brandId, id)
    return database.query(`update brands set ${columns} where id = $1`, [brandId])
  }
}

const nothing = async (): Promise<void> => undefined
const content = anyContent({ ttlSeconds: 3_600 })

test('a send to one person is opened without a transaction, unless something may keep it back or change it', async () => {
  const plain = await claimSend(nothing)
  const others = [
    await claimSend(ofBrand('has_opt_outs = true')),
    await claimSend(ofBrand(`quiet_hours = '{"from": "22:00", "to": "07:00", "inside": "drop"}'`)),
    await claimSend(async (brandId, id) => {
      await setting('is_capped = true')(brandId, id)
      return database.query('update brands set frequency_cap = 1 where id = $1', [brandId])
    }),
    await claimSend(setting(`state = 'cancelled'`)),
    await claimSend(setting('campaign_id = 1')),
    await claimSend(nothing, { content, alternatives: inLanguages(content, { de: { title: 'Titel' } }) }),
    await claimSend(async (brandId) =>
      database.query('update chunks set remaining = 2 where brand_id = $1', [brandId]),
    ),
  ]
  const lost = { ...plain, claims: plain.claims + 1 }
  const [opened, ...rest] = await openPlainChunks(database.queue, [plain, ...others, lost])
  assert.deepEqual(
    [opened?.recipients.length, opened?.isCancelled, opened?.content.title],
    [1, false, content.title],
  )
  assert.deepEqual(rest, [...others.map(() => undefined), null])
})

test('a chunk that nobody has expires in the millisecond in which it may not be sent any more', async () => {
  const held = await claimSend(nothing)
  const expire = async (now: number) => expireChunks(database, { rowsMax: 500, now })
  const { brandId, expiresAt } = held
  const lease = async (until: number) =>
    database.query('update chunks set leased_until = $2 where brand_id = $1', [brandId, new Date(until)])
  await database.query('delete from chunks where brand_id <> $1', [brandId])
  await database.query('update chunks set expires_at = $2 where brand_id = $1', [
    brandId,
    new Date(expiresAt),
  ])
  await lease(expiresAt - 10)
  assert.equal(await expire(expiresAt - 1), 0)
  await lease(expiresAt + 1)
  assert.equal(await expire(expiresAt), 0, 'a worker has it')
  await lease(expiresAt)
  assert.equal(await expire(expiresAt), 1)
})

test('a schedule is released, and a plan is claimed, in the millisecond in which it is due', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const now = Date.now()
  const timing = { kind: 'after', delayMs: 3_600_000 } as const
  await acceptNotification(database, { brandId, timing, target: ANN, now })
  await acceptNotification(database, { brandId, timing, target: { kind: 'all' }, now })
  const dueAt = now + timing.delayMs
  const release = async (at: number) => releaseSends(database, { rowsMax: 10, now: at })
  assert.deepEqual([await release(dueAt - 1), await release(dueAt)], [0, 1])
  const claim = async (at: number) =>
    (await claimPlans(database, { count: 10, leaseMs: 1_000, now: at })).length
  assert.deepEqual([await claim(dueAt - 1), await claim(dueAt)], [0, 1])
})
