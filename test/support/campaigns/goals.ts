import assert from 'node:assert/strict'
import { hearGoals, recountMerged, sweepGoal } from '../../../src/pipeline/campaigns/goals.ts'
import { findGoalSweeps } from '../../../src/store/campaigns/goal-sweeps.ts'
import { GOAL_READER } from '../../../src/store/campaigns/goals.ts'
import type { Database } from '../../../src/store/db.ts'
import { ensureReadersNow } from '../../../src/store/events/readers.ts'
import type { TestBrand } from '../database/database.ts'
import { logEntries } from '../events/events.ts'
import { call, keyHeaders, type RunningServer } from '../processes/server.ts'
import { until } from '../until.ts'

export const HOUR_MS = 3_600_000
/** Events have whole seconds. */
export const NOW = Math.floor(Date.now() / 1_000) * 1_000
const BORN = NOW - 48 * HOUR_MS

export type GoalSeed = {
  readonly brand: TestBrand
  readonly from?: 'delivery' | 'click'
  readonly withinDays?: number
}

/** A campaign and its one notification. */
export type GoalCampaign = { readonly id: bigint; readonly notificationId: string }

export type Sent = {
  readonly userId: string
  readonly at: number
  readonly clickedAt?: number
  readonly group?: number
  /** Whether a device without a person is a bit of `campaign_blocks`. */
  readonly isPacked?: boolean
}

/** Campaigns with a goal: the rows that delivery would write, and the calls that bring events. */
export class GoalCalls {
  readonly #port: number
  readonly #database: Database

  constructor({ port, deps }: Pick<RunningServer, 'port' | 'deps'>) {
    this.#port = port
    this.#database = deps.database
  }

  /** A launched campaign with a goal, and its one notification. */
  async seed({ brand, from = 'delivery', withinDays = 1 }: GoalSeed): Promise<GoalCampaign> {
    const goal = { event: 'purchase', from, within_days: withinDays }
    const { rows } = await this.#database.query<GoalCampaign>(
      `with made as (
         insert into campaigns (brand_id, name, state, document, created_by, launched_at, send_at, goal_event, created_at,
           updated_at)
         values ($1, 'Autumn', 'sending', $2, 'key:1', $3, $3, 'purchase', $3, $3) returning id
       )
       insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
         created_at, campaign_id, trial)
       select $1, uuidv7(), 'android', 'all', '{}', 60, 'sending', $3, $3, $3, id, '{}' from made
       returning campaign_id as id, id as "notificationId"`,
      [brand.brandId, JSON.stringify({ goal }), new Date(NOW - 20 * HOUR_MS)],
    )
    const [row] = rows
    assert.ok(row !== undefined)
    await ensureReadersNow(this.#database, brand.brandId, [GOAL_READER])
    return row
  }

  async addPerson(brand: TestBrand, userId: string): Promise<void> {
    await this.addDevice(brand, userId, userId)
    // An event from before the creation of its person does not count, and the events here lie in the past.
    for (const [table, column] of [
      ['profiles', 'created_at'],
      ['profile_identities', 'profile_created_at'],
    ]) {
      await this.#database.query(`update ${table} set ${column} = $2 where brand_id = $1`, [
        brand.brandId,
        new Date(BORN),
      ])
    }
  }

  /** A device, of nobody unless a person is named. */
  async addDevice(brand: TestBrand, name: string, userId?: string): Promise<void> {
    const body = { platform: 'android', token: `token-${name}`, user_id: userId, subscription_id: name }
    const answer = await call(this.#port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** Writes the rows that delivery would write for one person, unless they are there: the outcome, the group, the click. */
  async deliver(
    brand: TestBrand,
    campaign: GoalCampaign,
    { userId, at, clickedAt, group = 0, isPacked = false }: Sent,
  ): Promise<void> {
    await this.#database.asEngine(async (tx) => {
      // In place of the lock of the chunk, of which the device is in one only.
      await tx.query('select from campaigns where brand_id = $1 and id = $2 for no key update', [
        brand.brandId,
        campaign.id,
      ])
      await tx.query(DELIVER, [
        brand.brandId,
        campaign.id,
        campaign.notificationId,
        userId,
        new Date(at),
        group,
        clickedAt === undefined ? null : new Date(clickedAt),
        isPacked,
      ])
    })
  }

  async buy(brand: TestBrand, userID: string, at: number, ltv = 10): Promise<void> {
    const event_time = new Date(at).toISOString()
    const answer = await logEntries(this.#port, brand, [
      { userID, event_name: 'purchase', attributes: {}, event_time, ltv },
    ])
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** Lets goals be counted in all events that are stored, in all sweeps and after all merges. */
  async count({ brandId }: TestBrand): Promise<void> {
    const database = this.#database
    await until(
      async () => {
        while (await hearGoals(database, brandId));
        const sweeps = (await findGoalSweeps(database, 100)).filter((sweep) => sweep.brandId === brandId)
        for (const sweep of sweeps) await sweepGoal(database, sweep)
        await recountMerged(database, brandId)
        const { rows } = await database.query(
          `select from event_batches as b join event_readers as r using (brand_id)
           where brand_id = $1 and reader = 'goals' and (b.tx, b.id) > (r.tx, r.batch_id)`,
          [brandId],
        )
        return rows.length === 0
      },
      { what: 'goals to be counted' },
    )
  }
}

const DELIVER = `with device as (
    select id, coalesce(profile_id, -id) as person from subscriptions where brand_id = $1 and subscription_id = $4
  ), fresh as (
    select id, person, $8 and person < 0 as is_packed from device where not exists (select from campaign_members as m
      where m.brand_id = $1 and m.campaign_id = $2 and m.profile_id = device.person)
  ), planned as (
    insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at)
    select $1, $2, person, $6, $5 from fresh where not is_packed on conflict do nothing
  ), packed as (
    insert into campaign_blocks (brand_id, campaign_id, block, first_place, trial_group, planned_at, bits)
    select $1, $2, id >> 10, id & 1023, $6, $5, '\\x01' from fresh where is_packed
  ), accepted as (
    insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at, variant)
    select $1, $3, id, 'accepted', 1, $5, $6::smallint from device where $6::smallint >= 0 on conflict do nothing
  )
  insert into receipts (brand_id, notification_id, subscription_id, kind, at)
  select $1, $3, id, 'clicked', $7::timestamptz from device where $7 is not null on conflict do nothing`
