import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { planCancel } from '../../src/domain/push/notification.ts'
import { skipAllDue } from '../../src/pipeline/push/skip-due.ts'
import { cancelNotification, lockNotification } from '../../src/store/push/cancel.ts'
import type { ClaimedChunk } from '../../src/store/push/chunks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { memoryLog } from '../support/memory-log.ts'
import { claimOne, drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification, countsOf, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const LEASE_MS = 30_000

/** What may happen to a broadcast, in any order: workers work, stall, retry and die, people leave, the caller
 * cancels, whoever lets sending go on skips what is due. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const) }),
  fc.record({
    kind: fc.constant('settle' as const),
    states: fc.array(fc.constantFrom('accepted', 'failed', 'retrying', 'expired'), { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('die' as const) }),
  fc.record({ kind: fc.constant('leave' as const), who: fc.nat(9) }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('skip' as const) }),
)

test('whatever happens to a broadcast, its counts add up and its end comes, with one outcome for each', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { brandId } = await brand()
      const ids = await seedSubscriptions(database, { brandId, count: 10 })
      const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 1 })
      let now = Date.now() + 1_000
      await planDue(database, now)
      let held: ClaimedChunk | null = null
      let left: bigint[] = []
      for (const { kind, ...what } of steps) {
        if (kind === 'claim') {
          held = (await claimOne(database, now)) ?? held
          const opened = held === null ? null : await open(database, held)
          left = opened?.recipients.map((recipient) => recipient.id) ?? []
        }
        if (kind === 'settle' && held !== null && 'states' in what) {
          const batch = left.splice(0, what.states.length)
          const outcomes = batch.map((recipientId, at) => {
            const state = what.states[at] ?? 'accepted'
            return { recipientId, state, retryAt: state === 'retrying' ? now + 1_000 : null }
          })
          await settle(database, held, outcomes)
        }
        if (kind === 'die') now += LEASE_MS
        if (kind === 'leave' && 'who' in what)
          await database.query(`update subscriptions set state = 'gone' where brand_id = $1 and id = $2`, [
            brandId,
            ids[what.who],
          ])
        if (kind === 'cancel')
          await database.asBrand(brandId, async (tx) => {
            const state = await lockNotification(tx, { brandId, id })
            if (state !== null && planCancel(state).ok) await cancelNotification(tx, { brandId, id })
          })
        if (kind === 'skip') await skipAllDue({ database, log: memoryLog() })
        const { audience, ...parts } = countsOf(await report(database, { brandId, id }))
        assert.equal(
          audience,
          Object.values(parts).reduce((sum, part) => sum + part, 0),
        )
      }
      await drain(database, { now: now + 600_000 })
      const over = await report(database, { brandId, id })
      assert.equal(over.pending, 0)
      assert.ok(over.finishedAt !== null)
      const { rows } = await database.query<{ state: string; count: number }>(
        `select state, count(*)::integer as count from all_deliveries where brand_id = $1 group by state`,
        [brandId],
      )
      const written = new Map(rows.map(({ state, count }) => [state, count]))
      assert.equal(written.get('retrying') ?? 0, 0)
      assert.equal(written.get('accepted') ?? 0, over.accepted)
      assert.equal(written.get('failed') ?? 0, over.failed)
    }),
    { numRuns: atLength(120) },
  )
})
