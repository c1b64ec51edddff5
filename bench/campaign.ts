/**
 * The cost of campaigns, each against the same without, in turn and in the same run: the CPU of a campaign to everybody
 * with three languages and two variants; the CPU of events while goals are counted; and reading the results of a
 * campaign, against a plain read of as many rows. `npm run bench -- campaign 20000` takes a smaller audience,
 * `BENCH_RECIPIENTS` and `BENCH_EVENTS` a smaller campaign to read the results of.
 */
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import type { TestBrand } from '../test/support/database/database.ts'
import { seedAudience } from './support/audience.ts'
import { type CampaignSender, campaignCost } from './support/campaign-cost.ts'
import { saveFigure } from './support/figures.ts'
import { measureGoals } from './support/goal-cost.ts'
import { median } from './support/median.ts'
import { type PushPlace, withPushPlace } from './support/push-place.ts'
import { measureResults } from './support/results-read.ts'
import { verdict } from './support/verdict.ts'

const DEVICES = Number(process.argv[3] ?? 100_000)
const ROUNDS = 5
const MINUTES_MAX = 30
const RATIO_MAX = 1.2

const RICH = {
  languages: {
    fr: { title: 'Les thés d’automne sont là', message: 'Venez goûter.' },
    de: { title: 'Die Herbsttees sind da', message: 'Kommen und kosten Sie.' },
    'pt-BR': { title: 'Os chás de outono chegaram', message: 'Venha provar.' },
  },
  variants: [
    { name: 'A', weight: 1 },
    { name: 'B', weight: 1, content: { message: 'Only this week.' } },
  ],
}

await withPushPlace(MINUTES_MAX, async (place) => {
  const brand = await seed(place)
  const beckon = await place.startBeckon()
  await measureContents({ ...place, ...beckon, brand, devices: DEVICES })
  await measureGoals({ ...place, ...beckon })
  await measureResults(place.fresh)
})

async function seed({ fresh, folder, startSandbox }: PushPlace): Promise<TestBrand> {
  const brand = await fresh.brand()
  await seedAudience(fresh.url, [{ brandId: brand.brandId, count: DEVICES }])
  await fresh.database.query(
    `update subscriptions set language = (array['fr-FR', 'de', 'pt-BR', 'en-GB'])[1 + id % 4] where brand_id = $1`,
    [brand.brandId],
  )
  await saveSandboxFile(folder, await startSandbox(DEVICES))
  return brand
}

async function measureContents(sender: CampaignSender): Promise<void> {
  await campaignCost(sender, {}) // warms caches and tokens
  const plain: number[] = []
  const rich: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 2 === 0) plain.push(await campaignCost(sender, {}))
    rich.push(await campaignCost(sender, RICH))
    if (round % 2 !== 0) plain.push(await campaignCost(sender, {}))
  }
  const [without, having] = [median(plain), median(rich)]
  saveFigure({
    what: `CPU of a message with 3 languages and 2 variants, ${DEVICES.toLocaleString('en')} devices`,
    unit: 'µs',
    ours: rich,
    limit: { name: 'without', rounds: plain },
    bar: { of: 'limit', atMost: RATIO_MAX },
  })
  verdict(
    `a message costs ${having.toFixed(0)} µs of CPU with 3 languages and 2 variants, ${without.toFixed(0)} µs without (${DEVICES} devices): ${(having / without).toFixed(2)} times as much`,
    having / without <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}
