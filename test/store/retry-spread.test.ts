import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { outcomesOf } from '../../src/delivery/outcomes.ts'
import { settleChunks } from '../../src/store/push/settle.ts'
import { freshDatabase } from '../support/database/database.ts'
import { claimOne, open, planDue } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

/** The first attempt of a notification with one content for all. */
const FIRST = { attempt: 1, unknowns: 0, choices: new Map() } as const

test('a thousand messages that a provider did not take come back in small chunks, evenly spread', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 1_000 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const claimed = await claimOne(database)
  assert.ok(claimed !== null)
  const chunk = await open(database, claimed)
  const verdict = { kind: 'retry', reason: 'http_503', waitMs: 0, scope: 'host' } as const
  const verdicts = (chunk?.recipients ?? []).map((recipient) => ({ recipient, verdict, at: 0 }))
  const { expiresAt } = claimed
  const attempted = { ...FIRST, jitter: 0.5, now: Date.now(), expiresAt }
  await settleChunks(database.queue, [
    { chunk: claimed, outcomes: outcomesOf(verdicts, attempted), textsCut: 0 },
  ])

  const { rows } = await database.query<{ retries: number; most: number; chunks: number }>(
    `with crowd as (
       select sum(remaining) over (order by ready_at range between current row and interval '250 ms' following) as size,
         remaining from chunks where brand_id = $1
     )
     select sum(remaining)::integer as retries, max(size)::integer as most, count(*)::integer as chunks from crowd`,
    [brandId],
  )
  assert.equal(rows[0]?.retries, 1_000)
  assert.ok(rows[0].most <= 100, `${rows[0].most} within 250 ms`)
  assert.equal(rows[0].chunks, 50)
})

test('the number of unknown outcomes goes with the recipients that have them', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 2 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const claimed = await claimOne(database)
  assert.ok(claimed !== null)
  const chunk = await open(database, claimed)
  assert.equal(chunk?.unknowns, 0)
  const kinds = [
    { kind: 'unknown', reason: 'timeout' },
    { kind: 'retry', reason: 'http_503', waitMs: 0, scope: 'host' },
  ] as const
  const verdicts = kinds.flatMap((verdict, place) => {
    const recipient = chunk.recipients[place]
    return recipient === undefined ? [] : [{ recipient, verdict, at: 0 }]
  })
  const { expiresAt } = claimed
  const attempted = { ...FIRST, jitter: 0, now: Date.now(), expiresAt }
  await settleChunks(database.queue, [
    { chunk: claimed, outcomes: outcomesOf(verdicts, attempted), textsCut: 0 },
  ])
  const { rows } = await database.query<{ unknowns: number }>(
    'select unknowns from chunks where brand_id = $1 order by unknowns',
    [brandId],
  )
  assert.deepEqual(
    rows.map(({ unknowns }) => unknowns),
    [0, 1],
  )
})
