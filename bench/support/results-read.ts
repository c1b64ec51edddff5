import { loadFigures } from '../../src/store/campaigns/results.ts'
import { withOwner } from '../../src/store/db.ts'
import type { TestDatabase } from '../../test/support/database/database.ts'
import { makePastWeeks, reseedEvents } from './event-seed.ts'
import { saveFigure } from './figures.ts'
import { median } from './median.ts'
import { verdict } from './verdict.ts'

const RECIPIENTS = Number(process.env['BENCH_RECIPIENTS'] ?? 1_000_000)
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 10_000_000)
const ROUNDS = 7
const RATIO_MAX = 3
/** Of the recipients one in so many clicked, and one in so many did the goal. */
const CLICKED_EVERY = 25
const REACHED_EVERY = 10
/** Few enough for the memory of a trigger. */
const PART = 100_000

/** The results of one large campaign, against the read of its people through their index. */
export async function measureResults({ database, url, brand }: TestDatabase): Promise<void> {
  const { brandId } = await brand()
  await makePastWeeks(url)
  await reseedEvents(database, url, { brandId, events: EVENTS, profiles: RECIPIENTS })
  await seedCampaign(url, brandId)
  const results: number[] = []
  const plain: number[] = []
  const source = { kind: 'campaign', id: 1n } as const
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(
      await took(async () =>
        database.query('select count(*) from campaign_people where brand_id = $1 and campaign_id = 1', [
          brandId,
        ]),
      ),
    )
    results.push(await took(async () => loadFigures(database, { brandId, source })))
  }
  const [read, bare] = [median(results), median(plain)]
  saveFigure({
    what: `results of a campaign with ${RECIPIENTS.toLocaleString('en')} recipients and ${EVENTS.toLocaleString('en')} events`,
    unit: 'ms',
    ours: results,
    limit: { name: 'a plain read', rounds: plain },
    bar: { of: 'limit', atMost: RATIO_MAX },
  })
  verdict(
    `results of a campaign with ${RECIPIENTS} recipients and ${EVENTS} events take ${read.toFixed(1)} ms, a plain read of as many rows ${bare.toFixed(1)} ms: ${(read / bare).toFixed(2)} times as long`,
    read / bare <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const NOTIFICATION = '01900000-0000-7000-8000-000000000001'

/** The rows of a campaign that was sent, written in large statements, and counted by the triggers. */
async function seedCampaign(url: string, brandId: number): Promise<void> {
  await withOwner(url, async (owner) => {
    await owner.query('set statement_timeout = 0')
    await owner.query(
      `insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
         created_at, campaign_id)
       values ($1, $2, 'ios', 'all', '{}', 60, 'sent', now(), now(), now(), 1)`,
      [brandId, NOTIFICATION],
    )
    for (let from = 1; from <= RECIPIENTS; from += PART) {
      const span = [brandId, from, Math.min(from + PART - 1, RECIPIENTS)]
      for (const [statement, isNotified] of ROWS)
        await owner.query(statement, isNotified ? [...span, NOTIFICATION] : span)
    }
    await owner.query('vacuum analyze')
  })
}

const EACH = 'from generate_series($2::bigint, $3) as n'
const REACHED = `${EACH} where n % ${REACHED_EVERY} = 0`

const ROWS: readonly (readonly [string, boolean])[] = [
  [
    `insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at, clicked_at)
     select $1, 1, n, n % 2 - case when n % 20 = 0 then 1 else 0 end, now(),
       case when n % ${CLICKED_EVERY} = 1 then now() end ${EACH}`,
    false,
  ],
  [
    `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at, variant)
     select $1, $4, n, 'accepted', 1, now(), n % 2 ${EACH}`,
    true,
  ],
  [
    `insert into receipts (brand_id, notification_id, subscription_id, kind, at)
     select $1, $4, n, 'clicked', now() ${EACH} where n % ${CLICKED_EVERY} = 1`,
    true,
  ],
  [
    `insert into conversions (brand_id, id, profile_id, at, ltv, campaign_id, notification_id, subscription_id, platform,
       variant)
     select $1, n, n, now(), 10, 1, $4, n, 'ios', n % 2 ${REACHED}`,
    true,
  ],
  [
    `insert into goal_people (brand_id, campaign_id, profile_id, trial_group, events, ltv)
     select $1, 1, n, 0, 1, 10 ${REACHED}`,
    false,
  ],
]
