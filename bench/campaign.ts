/**
 * The cost of campaigns, each against the same without, in turn and in the same run: the CPU of a campaign to everybody
 * with three languages and two variants; the CPU of events while goals are counted; and reading the results of a
 * campaign, against a plain read of as many rows. `npm run bench -- campaign 20000` takes a smaller audience,
 * `BENCH_RECIPIENTS` and `BENCH_EVENTS` a smaller campaign to read the results of.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import type { Database } from '../src/store/db.ts'
import type { TestBrand } from '../test/support/database/database.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { DEAD_EVERY, REVIVE, seedAudience } from './support/audience.ts'
import { cpuMs } from './support/cpu.ts'
import { measureGoals } from './support/goal-cost.ts'
import { median } from './support/median.ts'
import { type PushPlace, type RunningBeckon, withPushPlace } from './support/push-place.ts'
import { measureResults } from './support/results-read.ts'
import { verdict } from './support/verdict.ts'

const DEVICES = Number(process.argv[3] ?? 100_000)
const ROUNDS = 3
const MINUTES_MAX = 30
const RATIO_MAX = 1.2

const CONTENT = {
  title: 'The autumn teas are here',
  message: 'Come and taste.',
  url: 'https://shop.example/',
}
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
  await measureContents({ ...place, ...beckon, brand, database: place.fresh.database })
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

type Sender = RunningBeckon & {
  readonly database: Database
  readonly postgresPid: number
  readonly brand: TestBrand
}

async function measureContents(sender: Sender): Promise<void> {
  await campaign(sender, {}) // warms caches and tokens
  const plain: number[] = []
  const rich: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await campaign(sender, {}))
    rich.push(await campaign(sender, RICH))
  }
  const [without, having] = [median(plain), median(rich)]
  verdict(
    `a message costs ${having.toFixed(0)} µs of CPU with 3 languages and 2 variants, ${without.toFixed(0)} µs without (${DEVICES} devices): ${(having / without).toFixed(2)} times as much`,
    having / without <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}

/** One campaign to everybody, until its last outcome is written: the CPU of one message in microseconds. */
async function campaign(
  { api, workerPid, postgresPid, brand, database }: Sender,
  extra: object,
): Promise<number> {
  const spentMs = (): number => cpuMs(workerPid).server + cpuMs(postgresPid).server
  await database.query(REVIVE, [brand.brandId])
  const before = spentMs()
  const document = {
    name: 'Teas',
    audience: { everyone: true },
    platforms: ['ios'],
    content: CONTENT,
    ...extra,
  }
  const { campaign_id: id } = await ask(brand, `${api}/campaigns`, document)
  await ask(brand, `${api}/campaigns/${String(id)}/launch`, {})
  for (;;) {
    await wait(250)
    const { rows } = await database.query<{ accepted: number; failed: number; isOver: boolean }>(
      `select accepted, failed, finished_at is not null as "isOver" from notifications
       where brand_id = $1 and campaign_id = $2`,
      [brand.brandId, String(id)],
    )
    const [found] = rows
    if (found?.isOver !== true) continue
    if (found.accepted + found.failed !== DEVICES || found.accepted < DEVICES - DEVICES / DEAD_EVERY) {
      throw new Error(`${found.accepted} of ${DEVICES} were accepted, ${found.failed} failed`)
    }
    return ((spentMs() - before) * 1000) / DEVICES
  }
}

async function ask(brand: TestBrand, url: string, body: object): Promise<Record<string, unknown>> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(text)
  const parsed: { readonly campaign: Record<string, unknown> } = JSON.parse(text)
  return parsed.campaign
}
