/**
 * What languages and variants cost: the CPU of a campaign to everybody with three languages and two variants, compared
 * with the same campaign without them, in turn and in real processes. `npm run bench -- campaign 20000` takes a smaller
 * audience.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type SandboxAccess, saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import { findFreePort } from '../src/runtime/postgres/free-port.ts'
import { startPostgres } from '../src/runtime/postgres/start-postgres.ts'
import { makeCertificate } from '../src/sandbox/certificate.ts'
import { freshDatabase, type TestBrand } from '../test/support/database/database.ts'
import { childrenOf } from '../test/support/processes/beckon.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { DEAD_EVERY, REVIVE, seedAudience } from './support/audience.ts'
import { cpuMs } from './support/cpu.ts'
import { median } from './support/median.ts'
import { Processes } from './support/processes.ts'
import { verdict } from './support/verdict.ts'

const DEVICES = Number(process.argv[3] ?? 100_000)
const ROUNDS = 3
const MINUTES_MAX = 15
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

const processes = new Processes()
const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
const certificateFile = join(folder, 'certificate.json')
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
const fresh = await freshDatabase()
const { database } = fresh
try {
  await Promise.race([prepare().then(measure), giveUp()])
} finally {
  await processes.stop()
  await fresh.drop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

/** A benchmark that hangs holds up whoever waits for the machine. */
async function giveUp(): Promise<never> {
  await wait(MINUTES_MAX * 60_000, undefined, { ref: false })
  throw new Error(`not done after ${MINUTES_MAX} minutes`)
}

type Place = { readonly api: string; readonly workerPid: number; readonly brand: TestBrand }

async function prepare(): Promise<Place> {
  const brand = await fresh.brand()
  await seedAudience(fresh.url, [{ brandId: brand.brandId, count: DEVICES }])
  await database.query(
    `update subscriptions set language = (array['fr-FR', 'de', 'pt-BR', 'en-GB'])[1 + id % 4] where brand_id = $1`,
    [brand.brandId],
  )
  await writeFile(certificateFile, JSON.stringify(makeCertificate(Date.now())))
  const { said } = await processes.start([
    'bench/support/control-sandbox.ts',
    certificateFile,
    String(DEVICES),
  ])
  const access: SandboxAccess = JSON.parse(said)
  await saveSandboxFile(folder, access)
  const port = String(await findFreePort(null))
  const { pid } = await processes.start(['src/main.ts', 'start'], {
    said: / is ready on /,
    environment: {
      PORT: port,
      DATABASE_URL: fresh.url,
      BECKON_DATA_DIR: folder,
      BECKON_SANDBOX: 'off',
      BECKON_API_PROCESSES: '1',
      BECKON_WORKER_PROCESSES: '1',
    },
  })
  const children = await childrenOf(pid)
  const workerPid = children.find(({ command }) => command.includes(' worker --name'))?.pid ?? 0
  return { api: `http://127.0.0.1:${port}/api/v1`, workerPid, brand }
}

async function measure(place: Place): Promise<void> {
  await campaign(place, {}) // warms caches and tokens
  const plain: number[] = []
  const rich: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await campaign(place, {}))
    rich.push(await campaign(place, RICH))
  }
  const [without, having] = [median(plain), median(rich)]
  verdict(
    `a message costs ${having.toFixed(0)} µs of CPU with 3 languages and 2 variants, ${without.toFixed(0)} µs without (${DEVICES} devices): ${(having / without).toFixed(2)} times as much`,
    having / without <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}

/** One campaign to everybody, until its last outcome is written: the CPU of one message in microseconds. */
async function campaign({ api, workerPid, brand }: Place, extra: object): Promise<number> {
  const spentMs = (): number => cpuMs(workerPid).server + cpuMs(postgres.pid).server
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
