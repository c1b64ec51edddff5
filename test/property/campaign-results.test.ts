import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { unreachable } from '../../src/domain/unreachable.ts'
import { hearGoals } from '../../src/pipeline/campaigns/goals.ts'
import { countBrand } from '../../src/pipeline/events/counting.ts'
import { foldResults, loadFigures } from '../../src/store/campaigns/results.ts'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { GoalCalls, type GoalCampaign, HOUR_MS, NOW } from '../support/campaigns/goals.ts'
import { figureLines, loadLiveGoals, recountFigures, recountGoals } from '../support/campaigns/recount.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { atLength } from '../support/length.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { database } = server.deps
after(server.close)
const users = new UserCalls(server)
const goals = new GoalCalls(server)

/** Few people, devices and moments, so that everything meets. A device has the name of its first person. */
const USERS = ['a', 'b'] as const
const STRANGERS = ['x', 'y'] as const
const USER = fc.constantFrom(...USERS)
const DEVICE = fc.constantFrom(...USERS, ...STRANGERS)
const EMAIL = fc.constantFrom('1@x.example', '2@x.example')
const CAMPAIGN = fc.constantFrom(0, 1)
/** The last of the moments of purchases is the end of the time after the first delivery. */
const SENT_AT = fc.constantFrom(-20, -10, -9.999_9, -3).map((hours) => NOW + hours * HOUR_MS)
const BOUGHT_AT = fc.constantFrom(-21, -20, -10, -9, -3, -1, 3, 4).map((hours) => NOW + hours * HOUR_MS)

/** Deeds that happen while a campaign is sent, and after it. */
const LATE = [
  fc.record({ kind: fc.constant('click' as const), campaign: CAMPAIGN, device: DEVICE, at: SENT_AT }),
  fc.record({ kind: fc.constant('buy' as const), userId: USER, at: BOUGHT_AT }),
  fc.record({ kind: fc.constant('buy' as const), userId: USER, at: BOUGHT_AT }),
  fc.record({ kind: fc.constant('merge' as const), userID: USER, email: EMAIL }),
  fc.record({ kind: fc.constant('unmerge' as const), userID: USER }),
  fc.record({ kind: fc.constant('erase' as const), userID: USER }),
  fc.record({ kind: fc.constant('identify' as const), device: DEVICE, userId: USER }),
  fc.record({ kind: fc.constant('count' as const) }),
  fc.record({ kind: fc.constant('hear' as const) }),
  fc.record({ kind: fc.constant('fold' as const) }),
  fc.record({ kind: fc.constant('break' as const) }),
] as const
/** Deeds that happen only while it is sent. */
const SENDING = [
  fc.record({
    kind: fc.constant('deliver' as const),
    campaign: CAMPAIGN,
    userId: DEVICE,
    at: SENT_AT,
    group: fc.constantFrom(0, 0, 1, -1),
    isPacked: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('retry' as const), campaign: CAMPAIGN, device: DEVICE, at: SENT_AT }),
  fc.record({ kind: fc.constant('settle' as const) }),
] as const

const DEEDS = fc.array(fc.oneof(...SENDING, ...SENDING, ...LATE), {
  minLength: 8,
  maxLength: 20,
  size: 'max',
})
const LATE_DEEDS = fc.array(fc.oneof(...LATE), { minLength: 4, maxLength: 10, size: 'max' })
type Deed = typeof DEEDS extends fc.Arbitrary<(infer Value)[]> ? Value : never

type World = { readonly brand: TestBrand; readonly campaigns: readonly GoalCampaign[] }

async function seedWorld(): Promise<World> {
  const brand = await users.mergingBrand()
  for (const name of USERS) await goals.addPerson(brand, name)
  for (const name of STRANGERS) await goals.addDevice(brand, name)
  const first = await goals.seed({ brand })
  return { brand, campaigns: [first, await goals.seed({ brand, from: 'click' })] }
}

async function act({ brand, campaigns }: World, deed: Deed): Promise<void> {
  const { brandId } = brand
  switch (deed.kind) {
    case 'deliver':
      return goals.deliver(brand, campaignOf(campaigns, deed), deed)
    case 'retry':
      return retry(brandId, campaignOf(campaigns, deed), deed)
    case 'settle':
      await database.query(
        `update deliveries set state = 'accepted' where brand_id = $1 and state = 'retrying'`,
        [brandId],
      )
      return
    case 'click':
      return click(brandId, campaignOf(campaigns, deed), deed)
    case 'buy':
      return goals.buy(brand, deed.userId, deed.at)
    case 'merge':
      await users.post(brand, 'create', { nv: [{ userID: deed.userID, email: deed.email }] })
      return
    case 'unmerge':
      await users.post(brand, 'unmerge', { userID: deed.userID })
      return
    case 'erase':
      await users.post(brand, 'delete', { nv: [{ userID: deed.userID }] })
      return
    case 'identify':
      return goals.addDevice(brand, deed.device, deed.userId)
    case 'count':
      await countBrand(database, brandId)
      return
    case 'hear':
      await hearGoals(database, brandId)
      return
    case 'fold':
      await foldResults(database, 7)
      return
    case 'break':
      return breakOff(brandId)
    default:
      return unreachable(deed)
  }
}

function campaignOf(campaigns: readonly GoalCampaign[], { campaign }: { readonly campaign: number }) {
  const found = campaigns[campaign]
  assert.ok(found !== undefined)
  return found
}

type Touch = { readonly device: string; readonly at: number }

/** A delivery that waits for its next attempt. */
async function retry(
  brandId: number,
  { notificationId }: GoalCampaign,
  { device, at }: Touch,
): Promise<void> {
  await database.query(
    `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at, variant)
     select $1, $2, id, 'retrying', 1, $4, 1 from subscriptions where brand_id = $1 and subscription_id = $3
     on conflict do nothing`,
    [brandId, notificationId, device, new Date(at)],
  )
}

async function click(
  brandId: number,
  { notificationId }: GoalCampaign,
  { device, at }: Touch,
): Promise<void> {
  await database.asBrand(brandId, async (tx) => {
    const { rows } = await tx.query<{ id: bigint }>(
      'select id from subscriptions where brand_id = $1 and subscription_id = $2',
      [brandId, device],
    )
    const receipts = rows.map(({ id }) => ({
      notificationId,
      subscriptionId: id,
      kind: 'clicked' as const,
      button: null,
    }))
    await saveReceipts(tx, { brandId, receipts, now: at })
  })
}

/** Work that is killed before its commit. */
async function breakOff(brandId: number): Promise<void> {
  const broken = database.asEngine(async (tx) => {
    for (const table of ['campaign_people', 'campaign_blocks', 'goal_people'])
      await tx.query(`delete from ${table} where brand_id = $1`, [brandId])
    throw new Error('killed')
  })
  await assert.rejects(broken, /killed/)
}

/** Several callers at once. */
async function actAll(world: World, lists: readonly (readonly Deed[])[]): Promise<void> {
  await Promise.all(
    lists.map(async (deeds) => {
      for (const deed of deeds) await act(world, deed)
    }),
  )
}

/** Everything that is to be counted is counted, and nothing else. */
async function check({ brand, campaigns }: World): Promise<void> {
  const { brandId } = brand
  await catchUp(database, brandId)
  await goals.count(brand)
  assert.deepEqual(await loadLiveGoals(database, brandId), await recountGoals(database, brandId))
  for (const { id } of campaigns) {
    const kept = await loadFigures(database, { brandId, source: { kind: 'campaign', id } })
    assert.deepEqual(figureLines(kept), await recountFigures(database, { brandId, campaignId: id }))
  }
}

test('whatever is sent, clicked, bought, merged, parted, handed on, erased and killed, goals and figures are those of a recount', async () => {
  const callers = { minLength: 1, maxLength: 3 }
  await fc.assert(
    fc.asyncProperty(fc.array(DEEDS, callers), fc.array(LATE_DEEDS, callers), async (lists, late) => {
      const world = await seedWorld()
      await actAll(world, lists)
      await database.query(`update campaigns set state = 'sent', finished_at = now() where brand_id = $1`, [
        world.brand.brandId,
      ])
      await check(world)
      await actAll(world, late)
      await check(world)
    }),
    { numRuns: atLength(90), endOnFailure: true },
  )
})
