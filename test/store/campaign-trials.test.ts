import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { launchTrial, type TrialSeed } from '../support/campaigns/trial-launch.ts'
import { freshDatabase } from '../support/database/database.ts'
import { acceptContent, claimOne, type Drained, drain, open, planDue, settle } from '../support/push/drain.ts'
import { countsOf, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const PEOPLE = 200
const STRANGERS = 50

/** People with two devices each, and devices without a person. */
async function crowd(): Promise<{ readonly brandId: number; readonly devices: number }> {
  const { brandId } = await brand()
  for (let at = 0; at < PEOPLE; at += 1)
    await seedSubscriptions(database, { brandId, userId: `u${at}`, count: 2 })
  await seedSubscriptions(database, { brandId, count: STRANGERS })
  return { brandId, devices: PEOPLE * 2 + STRANGERS }
}

async function launch(seed: TrialSeed): Promise<string> {
  return launchTrial(database, seed)
}

function variantOf({ recipient, chunk }: Drained): number | null {
  return chunk.choices.get(recipient.id)?.variant ?? null
}

function textOf({ recipient, chunk }: Drained): string | undefined {
  return chunk.contents.get(chunk.choices.get(recipient.id)?.key ?? '')?.body
}

/** The groups that were remembered, with the number of people in each. */
async function groupsOf(brandId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await database.query<{ group: number; people: number }>(
    `select trial_group::integer as group, count(*)::integer as people from campaign_members
     where brand_id = $1 group by trial_group`,
    [brandId],
  )
  return new Map(rows.map(({ group, people }) => [group, people]))
}

async function variantCounts(brandId: number): Promise<ReadonlyMap<number | null, number>> {
  const { rows } = await database.query<{ variant: number | null; count: number }>(
    `select variant, count(*)::integer as count from all_deliveries where brand_id = $1 and state = 'accepted'
     group by variant`,
    [brandId],
  )
  return new Map(rows.map(({ variant, count }) => [variant, count]))
}

test('a person gets one variant on all devices and after a retry, and held-out people get none', async () => {
  const { brandId, devices } = await crowd()
  const id = await launch({ brandId, holdoutPercent: 20, controlPercent: 10 })
  const drained = await drain(database, {
    judge: (recipient, chunk) => ({
      variant: chunk.choices.get(recipient.id)?.variant ?? null,
      ...(chunk.attempt === 1 && recipient.id % 5n === 0n
        ? { state: 'retrying', reason: 'busy', retryAt: Date.now() - 1_000 }
        : {}),
    }),
  })
  const texts = Map.groupBy(drained, ({ recipient }) => recipient.person)
  for (const [person, messages] of texts) {
    assert.equal(new Set(messages.map(textOf)).size, 1, `person ${person} got two texts`)
  }
  assert.ok(drained.every((one) => textOf(one) === (variantOf(one) === 0 ? 'text of A' : 'text of B')))

  const found = await report(database, { brandId, id })
  const { audience, accepted } = countsOf(found)
  assert.equal(found.state, 'sent')
  assert.equal(audience, accepted)
  const groups = await groupsOf(brandId)
  const [control, holdout, a, b] = [-2, -1, 0, 1].map((group) => groups.get(group) ?? 0)
  assert.equal((control ?? 0) + (holdout ?? 0) + (a ?? 0) + (b ?? 0), PEOPLE + STRANGERS)
  assert.ok([control, holdout, a, b].every((people) => people !== undefined && people > 5))
  const counts = await variantCounts(brandId)
  assert.equal((counts.get(0) ?? 0) + (counts.get(1) ?? 0), accepted)
  assert.equal(counts.get(null), undefined)
  const sentTo = new Set(drained.map(({ recipient }) => recipient.person))
  assert.equal(sentTo.size, (a ?? 0) + (b ?? 0))
  assert.ok((audience ?? 0) < devices)
})

test('a chunk that is opened twice is divided in the same way', async () => {
  const { brandId } = await crowd()
  await launch({ brandId, holdoutPercent: 50 })
  await planDue(database)
  const claimed = await claimOne(database)
  assert.ok(claimed !== null)
  const choices = async () => (await open(database, claimed))?.choices
  assert.deepEqual(await choices(), await choices())
  assert.equal((await drain(database)).length, 0)
})

test('the rest of a campaign gets the chosen variant, without the devices that were tested on', async () => {
  const { brandId, devices } = await crowd()
  const tested = await launch({ brandId, phase: { kind: 'test', percent: 30 } })
  const first = await drain(database, { judge: acceptContent })
  assert.ok(first.length > 50 && first.length < devices / 2)
  assert.deepEqual(new Set(first.map(variantOf)), new Set([0, 1]))

  // Two people turn out to be one: the survivor was not tested on, and the absorbed one was.
  const { rows } = await database.query<{ tested: bigint; untested: bigint }>(
    `select min(profile_id) filter (where was_tested) as tested, max(profile_id) filter (where not was_tested) as untested
     from (select s.profile_id, bool_or(d.subscription_id is not null) as was_tested from subscriptions as s
       left join all_deliveries as d on d.brand_id = s.brand_id and d.subscription_id = s.id and d.notification_id = $2
       where s.brand_id = $1 and s.profile_id is not null group by s.profile_id) as person`,
    [brandId, tested],
  )
  const [pair] = rows
  assert.ok(pair !== undefined)
  await database.query('update subscriptions set profile_id = $3 where brand_id = $1 and profile_id = $2', [
    brandId,
    pair.tested,
    pair.untested,
  ])
  await launch({ brandId, phase: { kind: 'rest', percent: 30, variant: 1 } })
  const second = await drain(database, { judge: acceptContent })
  assert.deepEqual(new Set(second.map(variantOf)), new Set([1]))
  const reached = [...first, ...second].map(({ recipient }) => recipient.id)
  assert.equal(new Set(reached).size, reached.length, 'a device got the campaign twice')
  assert.equal(reached.length, devices)
})

test('the first click of a person is noted with the person', async () => {
  const { brandId } = await crowd()
  const id = await launch({ brandId })
  const drained = await drain(database)
  const [one, other] = drained.filter(({ recipient }) => recipient.person === drained[0]?.recipient.person)
  assert.ok(one !== undefined && other !== undefined)
  for (const [place, { recipient }] of [one, other].entries()) {
    await database.asBrand(brandId, async (tx) =>
      saveReceipts(tx, {
        brandId,
        receipts: [{ notificationId: id, subscriptionId: recipient.id, kind: 'clicked', button: null }],
        now: 1_000 * (place + 1),
      }),
    )
  }
  const { rows } = await database.query<{ person: bigint; at: number }>(
    `select profile_id as person, clicked_at as at from campaign_members
     where brand_id = $1 and clicked_at is not null`,
    [brandId],
  )
  assert.deepEqual(rows, [{ person: one.recipient.person, at: 1_000 }])
})

test('a retry is sent, also when its person came into the holdout by a merge', async () => {
  const { brandId } = await crowd()
  const id = await launch({ brandId })
  await planDue(database)
  const claimed = await claimOne(database)
  assert.ok(claimed !== null)
  const opened = await open(database, claimed)
  assert.ok(opened !== null)
  const retried = opened.recipients.slice(0, 40)
  await settle(
    database,
    claimed,
    opened.recipients.map(({ id: recipientId }) => ({
      recipientId,
      ...(retried.some((one) => one.id === recipientId)
        ? { state: 'retrying', reason: 'busy', retryAt: Date.now() - 1_000 }
        : {}),
    })),
  )
  await database.query(
    `update notifications set trial = trial || '{"holdoutPercent": 50}' where brand_id = $1 and id = $2`,
    [brandId, id],
  )
  const again = await drain(database)
  assert.equal(again.length, 40)
  assert.equal((await report(database, { brandId, id })).state, 'sent')
})
