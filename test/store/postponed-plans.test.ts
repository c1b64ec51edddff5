import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OLD_EVENTS_REASON } from '../../src/rules/event-files.ts'
import { NOTIFICATION_STATES } from '../../src/rules/push.ts'
import { cancelNotification } from '../../src/store/push/cancel.ts'
import { claimPlans, type PlanClaim, postponePlan } from '../../src/store/push/planning.ts'
import { freshDatabase } from '../support/database/database.ts'
import { acceptNotification, report } from '../support/push/notifications.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const WAIT_MS = 600_000
const POSTPONED = { reason: OLD_EVENTS_REASON, waitMsMin: WAIT_MS, waitMsMax: WAIT_MS }

/** The plans of the brand that are due later than now, claimed. */
async function claimsOf(brandId: number, laterMs: number): Promise<readonly PlanClaim[]> {
  const found = await claimPlans(database, { count: 50, leaseMs: 60_000, now: Date.now() + laterMs })
  return found.filter((plan) => plan.brandId === brandId)
}

async function claimed(): Promise<PlanClaim> {
  const { brandId } = await brand()
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  return (await claimsOf(brandId, 1_000))[0] ?? assert.fail('no plan')
}

async function change({ brandId }: PlanClaim, set: string): Promise<void> {
  await database.query(`update notifications set ${set} where brand_id = $1`, [brandId])
}

/** Changes the notification, and claims it anew. */
async function reclaimed(claim: PlanClaim, set: string): Promise<PlanClaim> {
  await change(claim, `${set}, plan_at = now()`)
  return (await claimsOf(claim.brandId, 1_000))[0] ?? assert.fail('no plan')
}

/** The time of zones that were planned so long ago. It is stored in milliseconds. */
function zonesUntil(minutes: number): string {
  return `zones_until = date_trunc('milliseconds', now() - interval '${minutes} minutes')`
}

/** State, reason and how it ended. */
async function stateOf(claim: PlanClaim): Promise<readonly unknown[]> {
  const { state, reason, expired, pending } = await report(database, claim)
  const { rows } = await database.query<{ isOver: boolean }>(
    'select finished_at is not null as "isOver" from notifications where brand_id = $1 and id = $2',
    [claim.brandId, claim.id],
  )
  return [state, reason, { expired, pending, ...rows[0] }]
}

test('a postponed broadcast is cancelled without the reason of its wait', async () => {
  const claim = await claimed()
  await postponePlan(database, claim, POSTPONED)
  assert.deepEqual((await stateOf(claim)).slice(0, 2), ['queued', OLD_EVENTS_REASON])
  await database.asSystem(claim.brandId, async (tx) => cancelNotification(tx, claim))
  assert.deepEqual((await stateOf(claim)).slice(0, 2), ['cancelled', null])
})

for (const state of ['scheduled', 'queued'] as const)
  test(`a broadcast that has expired while ${state} is not postponed again: it has failed, and says why`, async () => {
    const claim = await claimed()
    await change(claim, `expires_at = now(), audience = 4, pending = 4, state = '${state}'`)
    await postponePlan(database, claim, POSTPONED)
    const over = { expired: 4, pending: 0, isOver: true }
    assert.deepEqual(await stateOf(claim), ['failed', OLD_EVENTS_REASON, over])
    assert.ok(NOTIFICATION_STATES[state].includes('failed'))
    assert.equal((await claimsOf(claim.brandId, 100 * WAIT_MS)).length, 0)
  })

test('a broadcast by local time that has expired keeps what earlier time zones got', async () => {
  const zones = `expires_at = now(), wall = '2026-11-15T09:00:00', ${zonesUntil(0)}, state = 'sending'`
  const claim = await reclaimed(await claimed(), `${zones}, audience = 5, accepted = 3, pending = 2`)
  await postponePlan(database, claim, POSTPONED)
  const sending = { expired: 0, pending: 2, isOver: false }
  assert.deepEqual(await stateOf(claim), ['sending', OLD_EVENTS_REASON, sending])
  await change(claim, 'plan_at = now(), accepted = 5, pending = 0')
  await postponePlan(database, claim, POSTPONED)
  const over = { expired: 0, pending: 0, isOver: true }
  assert.deepEqual(await stateOf(claim), ['sent', OLD_EVENTS_REASON, over])
})

/** Postpones the plan, and tells for how many minutes. */
async function minutesOf(claim: PlanClaim): Promise<number | null> {
  await postponePlan(database, claim, { ...POSTPONED, waitMsMax: 36 * WAIT_MS })
  const { rows } = await database.query<{ minutes: number | null }>(
    `select round(extract(epoch from plan_at - clock_timestamp()) / 60)::integer as minutes from notifications
     where brand_id = $1 and id = $2`,
    [claim.brandId, claim.id],
  )
  return rows[0]?.minutes ?? null
}

function dueFor(hours: number): string {
  return `plan_at = now(), created_at = now() - interval '9 hours', send_at = now() - interval '${hours} hours'`
}

test('the first wait is the shortest, however late a broadcast is planned; later waits grow up to a bound', async () => {
  const claim = await claimed()
  await change(claim, dueFor(5))
  assert.equal(await minutesOf(claim), 10)
  await change(claim, dueFor(5))
  assert.equal(await minutesOf(claim), 300)
  await change(claim, dueFor(8))
  assert.equal(await minutesOf(claim), 360)
})

test('a broadcast by local time waits as long as its last time zones have been planned', async () => {
  const due = `created_at = now() - interval '9 hours', send_at = now() - interval '5 hours'`
  const wall = `${due}, wall = '2026-11-15T09:00:00'`
  const first = await reclaimed(await claimed(), `${wall}, ${zonesUntil(15)}`)
  assert.equal(await minutesOf(first), 10)
  assert.equal(await minutesOf(await reclaimed(first, `${wall}, ${zonesUntil(25)}`)), 25)
})

test('time zones that another worker has planned since keep the time of their next look', async () => {
  const late = await reclaimed(await claimed(), `wall = '2026-11-15T09:00:00', ${zonesUntil(15)}`)
  await change(late, `plan_at = now() + interval '15 minutes', ${zonesUntil(0)}`)
  await postponePlan(database, late, POSTPONED)
  assert.equal((await stateOf(late))[1], null)
  await postponePlan(database, await reclaimed(late, 'reason = null'), POSTPONED)
  assert.equal((await stateOf(late))[1], OLD_EVENTS_REASON)
})

test('notifications that are planned together are postponed together, also when the lease has ended', async () => {
  const { brandId } = await brand()
  for (const platform of ['android', 'ios', 'web'] as const)
    await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
  await database.query(
    'update notifications set campaign_id = 1, is_latest_only = true where brand_id = $1',
    [brandId],
  )
  const [late = assert.fail('no plan'), ...others] = await claimsOf(brandId, 1_000)
  assert.deepEqual([others.length, late.isTogether], [2, true])
  assert.equal((await claimsOf(brandId, 120_000)).length, 3, 'the leases have ended')
  await postponePlan(database, late, POSTPONED)
  assert.equal((await claimsOf(brandId, WAIT_MS - 60_000)).length, 0)
  const claims = await claimsOf(brandId, WAIT_MS + 30_000)
  assert.deepEqual(
    claims.map(({ id }) => id),
    [late.id],
    'one of them answers for all',
  )
  for (const claim of [late, ...others]) assert.equal((await stateOf(claim))[1], OLD_EVENTS_REASON)
})
