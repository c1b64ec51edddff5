import { GOAL_READER } from '../../src/store/campaigns/goals.ts'
import { type Database, withOwner } from '../../src/store/db.ts'
import { ensureReadersNow } from '../../src/store/events/readers.ts'
import type { TestBrand } from '../../test/support/database/database.ts'
import { bodiesOf } from './event-bodies.ts'
import { saveFigure } from './figures.ts'
import { intakeCost } from './intake-cost.ts'
import { median } from './median.ts'
import { seedProfiles } from './profile-seed.ts'
import type { PushPlace, RunningBeckon } from './push-place.ts'
import { verdict } from './verdict.ts'

const PEOPLE = Number(process.env['BENCH_PROFILES'] ?? 100_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 8)
/** Calls of a round, and their entries, of which one in eight is a purchase: the goal. */
const CALLS = 60
const ENTRIES = 1_000
const CALLS_AT_ONCE = 4
const RATIO_MAX = 1.05
/** Goals are counted up to five seconds later, in which the loops and PostgreSQL do other work. */
const ROUND_MS_MIN = 20_000
/** One person in so many got a campaign whose goal is open. */
const SENT_EVERY = 20
const CAMPAIGNS = 2

type Place = PushPlace & RunningBeckon

/** The CPU of an event in a brand with open goals, until all is counted, against the same brand without. */
export async function measureGoals(place: Place): Promise<void> {
  const { database } = place.fresh
  const load = { entries: ENTRIES, callers: CALLS_AT_ONCE, roundMsMin: ROUND_MS_MIN }
  const brands = [await place.fresh.brand(), await place.fresh.brand()]
  const [bare, busy] = brands
  if (bare === undefined || busy === undefined) return
  for (const { brandId } of brands) {
    await seedProfiles(database, brandId, PEOPLE)
    await seedDevices(database, brandId)
  }
  await seedGoals(database, busy.brandId)
  // PostgreSQL would tidy up in some rounds and not in others, at twice the cost of all goals of a round.
  await withOwner(place.fresh.url, async (owner) => {
    await owner.query('alter system set autovacuum = off')
    await owner.query('select pg_reload_conf()')
    await owner.query('vacuum (analyze)')
  })
  const without: number[] = []
  const having: number[] = []
  for (let round = -1; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [bare, busy] : [busy, bare]
    const costs = new Map<TestBrand, number>()
    // The same people in every round would buy once a minute, which nobody does.
    const bodies = bodiesOf(CALLS, ENTRIES, PEOPLE)
    for (const brand of order) {
      costs.set(brand, await intakeCost(place, brand, { ...load, bodies }))
      await withOwner(place.fresh.url, async (owner) => owner.query('vacuum (analyze)'))
    }
    // The first round only warms up.
    if (round < 0) continue
    without.push(costs.get(bare) ?? 0)
    having.push(costs.get(busy) ?? 0)
  }
  const ratio = median(having.map((each, round) => each / (without[round] ?? each)))
  saveFigure({
    what: `CPU of an event with ${CAMPAIGNS} open goals`,
    unit: 'µs',
    ours: having,
    limit: { name: 'without', rounds: without },
    bar: { of: 'limit', atMost: RATIO_MAX },
    ratio,
  })
  const { rows } = await database.query<{ conversions: number }>(
    'select count(*)::integer as conversions from conversions where brand_id = $1',
    [busy.brandId],
  )
  verdict(
    `an event costs ${median(having).toFixed(1)} µs of CPU with ${CAMPAIGNS} open goals, ${median(without).toFixed(1)} µs without (${rows[0]?.conversions} conversions): ${ratio.toFixed(3)} times as much`,
    ratio <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}

/** Few enough for the time limit of a statement on a busy machine. */
const SEED_PART = 20_000

async function seedDevices(database: Database, brandId: number): Promise<void> {
  for (let from = 1; from <= PEOPLE; from += SEED_PART) {
    await database.query(
      `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, state_since,
         created_at, registered_at, updated_at)
       select $1, 'goal-' || n, 'ios', 'goal ' || n, sha256(('goal ' || n)::bytea), n, now(), now(), now(), now()
       from generate_series($2::bigint, $3) as n`,
      [brandId, from, Math.min(from + SEED_PART - 1, PEOPLE)],
    )
  }
}

/** Campaigns that were sent a while ago, whose goal is a purchase within three days. */
async function seedGoals(database: Database, brandId: number): Promise<void> {
  for (let made = 0; made < CAMPAIGNS; made += 1) {
    await database.query(
      `with campaign as (
         insert into campaigns (brand_id, name, state, document, created_by, launched_at, send_at, finished_at, goal_event,
           goal_until, created_at, updated_at)
         values ($1, 'Teas', 'sent', '{"goal": {"event": "purchase", "from": "delivery", "within_days": 3}}', 'key:1',
           now(), now(), now(), 'purchase', now() + interval '3 days', now(), now()) returning id
       ), notification as (
         insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
           created_at, campaign_id, trial)
         select $1, uuidv7(), 'ios', 'all', '{}', 60, 'sent', now(), now(), now(), id, '{}' from campaign
         returning id, campaign_id
       ), planned as (
         insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at)
         select $1, id, n, 0, now() - interval '1 hour' from campaign
         cross join generate_series($2 + 1, $3, ${SENT_EVERY}) as n
       )
       insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at, variant)
       select $1, notification.id, s.id, 'accepted', 1, now() - interval '1 hour', 0 from notification
       join subscriptions as s on s.brand_id = $1 and s.profile_id % ${SENT_EVERY} = $2 + 1`,
      [brandId, made, PEOPLE],
    )
  }
  await ensureReadersNow(database, brandId, [GOAL_READER])
}
