/**
 * The share of delivery and of the intake of events that the roll-ups cost: the figures of campaigns, the series, the
 * counts of tags, and the index for time lines. Two places of the same kind work in turn, one without the roll-ups. The CPU of Beckon and of
 * PostgreSQL is compared, until everything is counted. `npm run bench -- rollups 20000` takes a smaller audience.
 */
import { join } from 'node:path'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import { withOwner } from '../src/store/db.ts'
import type { TestBrand } from '../test/support/database/database.ts'
import { seedAudience } from './support/audience.ts'
import { campaignCost } from './support/campaign-cost.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { saveFigure } from './support/figures.ts'
import { type EventLoad, intakeCost } from './support/intake-cost.ts'
import { median } from './support/median.ts'
import { seedProfiles } from './support/profile-seed.ts'
import { type PushPlace, type RunningBeckon, withPushPlace } from './support/push-place.ts'
import { verdict } from './support/verdict.ts'

const DEVICES = Number(process.argv[3] ?? 50_000)
const PEOPLE = Number(process.env['BENCH_PROFILES'] ?? 100_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MINUTES_MAX = 30
const RATIO_MAX = 1.05

const LOADS: Readonly<Record<string, EventLoad>> = {
  '1000-entry': { bodies: bodiesOf(40, 1_000, PEOPLE), entries: 1_000, callers: 4 },
  '1-entry': { bodies: bodiesOf(4_000, 1, PEOPLE), entries: 1, callers: 64 },
}

/** Everything that a roll-up has in the database beside its tables. */
const DROP = `drop index deliveries_device; drop index accepted_blocks_device;
  drop trigger accepted_blocks_added on accepted_blocks;
  drop trigger deliveries_added on deliveries; drop trigger deliveries_changed on deliveries;
  drop trigger receipts_added on receipts; drop trigger receipts_gone on receipts;
  drop trigger subscriptions_came on subscriptions; drop trigger subscriptions_left on subscriptions;
  drop trigger subscriptions_state on subscriptions; drop trigger profiles_came on profiles;
  drop trigger profiles_tags_given on profiles; drop trigger profiles_tags_gone on profiles;
  drop trigger profiles_tags_changed on profiles; drop trigger subscriptions_tags_given on subscriptions;
  drop trigger subscriptions_tags_gone on subscriptions; drop trigger subscriptions_tags_changed on subscriptions`

type Side = PushPlace & RunningBeckon & { readonly brand: TestBrand }

await withPushPlace(MINUTES_MAX, async (bare) =>
  withPushPlace(MINUTES_MAX, async (full) => {
    await withOwner(bare.fresh.url, async (owner) => owner.query(DROP))
    const hook = join(import.meta.dirname, 'support/without-rollups.ts')
    const without = await prepare(bare, { NODE_OPTIONS: `--import=${hook}` })
    const having = await prepare(full, {})
    await compare('a message', { without, having }, sendCampaign)
    for (const [name, load] of Object.entries(LOADS)) {
      await compare(`an event of ${name} calls`, { without, having }, async (side) =>
        intakeCost(side, side.brand, load),
      )
    }
  }),
)

async function prepare(place: PushPlace, environment: Readonly<Record<string, string>>): Promise<Side> {
  const brand = await place.fresh.brand()
  await seedAudience(place.fresh.url, [{ brandId: brand.brandId, count: DEVICES }])
  await seedProfiles(place.fresh.database, brand.brandId, PEOPLE)
  await place.fresh.database.query('analyze')
  await saveSandboxFile(place.folder, await place.startSandbox(DEVICES))
  return { ...place, ...(await place.startBeckon({ ...environment, BECKON_REQUEST_LOG: 'off' })), brand }
}

/** Every round starts without deliveries, so that rounds are alike. */
async function sendCampaign(side: Side): Promise<number> {
  await withOwner(side.fresh.url, async (owner) => owner.query('truncate deliveries, accepted_blocks'))
  return campaignCost({ ...side, devices: DEVICES }, {})
}

async function compare(
  what: string,
  { without, having }: { readonly without: Side; readonly having: Side },
  measure: (side: Side) => Promise<number>,
): Promise<void> {
  const bare: number[] = []
  const full: number[] = []
  for (let round = -1; round < ROUNDS; round += 1) {
    const first = await measure(round % 2 === 0 ? without : having)
    const second = await measure(round % 2 === 0 ? having : without)
    // The first round only warms up.
    if (round < 0) continue
    bare.push(round % 2 === 0 ? first : second)
    full.push(round % 2 === 0 ? second : first)
  }
  const ratio = median(full.map((each, round) => each / (bare[round] ?? each)))
  saveFigure({
    what: `CPU of ${what}`,
    unit: 'µs',
    ours: full,
    limit: { name: 'without roll-ups', rounds: bare },
    bar: { of: 'limit', atMost: RATIO_MAX },
    ratio,
  })
  verdict(
    `${what} costs ${median(full).toFixed(1)} µs of CPU with the roll-ups, ${median(bare).toFixed(1)} µs without: ${ratio.toFixed(3)} times as much`,
    ratio <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}
