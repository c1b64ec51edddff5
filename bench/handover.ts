/**
 * How many notifications to one person each a worker hands over in a second, from claim to settled row, with the
 * providers on the same machine. Notifications from `/send` are accepted while sending is held, so that the time is that
 * of the hand-over alone; beside it stands the whole path, with the callers and the API on the same cores. Those of a
 * journey are counted from the moment at which its people are due, so that the steps of the journey are in it. The limit of a
 * hand-over is a queue of as many bare rows, claimed and settled; that of the whole path is a call that writes one row.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SandboxAccess } from '../src/delivery/sandbox/file.ts'
import { ROUTES } from '../src/http/routes.ts'
import { withOwner } from '../src/store/db.ts'
import { holdSending, resumeSending } from '../src/store/push/sending-hold.ts'
import { seedDueEnrolments, seedJourney } from '../test/support/journeys/seeds.ts'
import { type SeedDevice, seedDevices } from '../test/support/subscriptions/subscriptions.ts'
import { BARE_QUEUE_TABLE, drainBareQueue, fillBareQueue } from './support/bare-queue.ts'
import { startBenchServer } from './support/bench-server.ts'
import { cpuMs } from './support/cpu.ts'
import { saveFigure } from './support/figures.ts'
import { median } from './support/median.ts'
import { ONE_ROW, ONE_ROW_TABLE } from './support/one-row.ts'
import { androidDevice } from './support/platform-devices.ts'
import { peakMiB } from './support/processes.ts'
import { verdict } from './support/verdict.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const WARM_UPS = 2
const COUNT = Number(process.argv[3] ?? 5_000)
const PER_SECOND_MIN = 3_000
const CALLS_AT_ONCE = 64
const SEND = '/api/v1/android/send'
/** Enough to seed the people before they fall due. */
const STEP_AHEAD_MS = 2_000
/** Seldom enough to cost nothing beside what is measured. */
const LOOK_MS = 20
/** Looks that cost one probe of an index, whatever was sent before, on a connection that may not read whole tables. */
const OPEN = `select from notifications where brand_id = $1 and state in ('scheduled', 'queued', 'sending') limit 1`
const STANDING = `select from enrolments where brand_id = $1 and state = 'active' and wake_at <= clock_timestamp() limit 1`

const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
const server = await startBenchServer([...ROUTES, ONE_ROW], `${ONE_ROW_TABLE}; ${BARE_QUEUE_TABLE}`)
const { database, brandId } = server
const sandbox = run('support/sandbox-process.ts', [randomBytes(32).toString('hex')])
const { access }: { readonly access: SandboxAccess } = JSON.parse(await firstLine(sandbox))
const accessFile = join(folder, 'access.json')
await writeFile(accessFile, JSON.stringify(access))
const worker = run('../test/fault/worker-process.ts', [
  '--journeys',
  '--url',
  server.url,
  '--access',
  accessFile,
])
await firstLine(worker)
const agent = new Agent({ keepAlive: true, maxSockets: CALLS_AT_ONCE })

try {
  const ids = await seedDevices(database, { brandId, platform: 'android', devices: devices() })
  const names = await namesOf(ids)
  const journey = await seedJourney(database, brandId, {
    trigger: { event: 'signup' },
    steps: [
      { id: 'remind', send: { to: 'anywhere', title: 'Hello', message: 'Your plan is waiting.' } },
      { id: 'rest', wait: { days: 1 } },
    ],
  })
  const takeSteps = async (): Promise<Round> => {
    const due = { ...journey, devices: devices(), step: 'remind', wakeAt: Date.now() + STEP_AHEAD_MS }
    await seedDueEnrolments(database, due)
    await wait(Math.max(0, due.wakeAt - Date.now()))
    return measure(async () => until(async () => !(await isAny(STANDING))))
  }
  const accept = async (): Promise<void> => callAll(SEND, names)
  const writeRows = async (): Promise<void> => callAll(ONE_ROW.path, names)
  const bare = { name: 'bare rows, claimed and settled', round: drain }
  const calls = { name: 'calls that write one row', round: async () => measure(writeRows) }
  say('/send', 'handed over', await rounds(async () => handOver(accept), bare))
  say('/send', 'accepted and handed over', await rounds(async () => measure(accept), calls))
  say('a journey step', 'asked for and handed over', await rounds(takeSteps, bare))
} finally {
  agent.destroy()
  for (const child of [worker, sandbox]) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

type Round = { readonly perSecond: number; readonly workerMicros: number; readonly databaseMicros: number }

/** What is measured in turn with the rounds of a hand-over. */
type Limit = { readonly name: string; readonly round: () => Promise<Round> }

type Rounds = { readonly made: readonly Round[]; readonly name: string; readonly limits: readonly Round[] }

async function rounds(round: () => Promise<Round>, limit: Limit): Promise<Rounds> {
  const made: Round[] = []
  const limits: Round[] = []
  for (let turn = -WARM_UPS; turn < ROUNDS; turn += 1) {
    const [own, bare] = [await round(), await limit.round()]
    if (turn < 0) continue
    made.push(own)
    limits.push(bare)
  }
  return { made, name: limit.name, limits }
}

function say(from: string, done: string, { made, name, limits }: Rounds): void {
  const of = (figure: (round: Round) => number): number => median(made.map(figure))
  const rate = of(({ perSecond }) => perSecond)
  const costs = `${of(({ workerMicros }) => workerMicros).toFixed(0)} µs of the worker's CPU and ${of(({ databaseMicros }) => databaseMicros).toFixed(0)} of PostgreSQL's`
  const what = `${COUNT} single notifications from ${from}: ${rate.toFixed(0)} a second ${done}, each for ${costs}`
  verdict(what, rate >= PER_SECOND_MIN, `at least ${PER_SECOND_MIN}`)
  const parts = { worker: of((one) => one.workerMicros), PostgreSQL: of((one) => one.databaseMicros) }
  const whole = `single notifications from ${from}, ${done}`
  const sides = (figure: (round: Round) => number) => ({
    ours: made.map(figure),
    limit: { name, rounds: limits.map(figure) },
  })
  saveFigure({
    what: whole,
    unit: '/s',
    ...sides(({ perSecond }) => perSecond),
    bar: { of: 'figure', atLeast: PER_SECOND_MIN },
    memoryMiB: peakMiB(worker.pid ?? 0),
  })
  const cpu = sides(({ workerMicros, databaseMicros }) => workerMicros + databaseMicros)
  saveFigure({ what: `CPU of one of the ${whole}`, unit: 'µs', ...cpu, parts })
}

async function handOver(accept: () => Promise<void>): Promise<Round> {
  await holdSending(database)
  await accept()
  return measure(async () => {
    await resumeSending(database)
    database.notify('send')
  })
}

async function drain(): Promise<Round> {
  return withOwner(server.url, async (owner) => {
    await fillBareQueue(owner, COUNT)
    return measure(async () => drainBareQueue(owner))
  })
}

/** From the beginning until no notification is open. */
async function measure(begin: () => Promise<void>): Promise<Round> {
  const [workerMs, databaseMs] = [cpuMs(worker.pid ?? 0).server, cpuMs(server.postgresPid).server]
  const startedAt = performance.now()
  await begin()
  await until(async () => !(await isAny(OPEN)))
  const seconds = (performance.now() - startedAt) / 1000
  return {
    perSecond: COUNT / seconds,
    workerMicros: ((cpuMs(worker.pid ?? 0).server - workerMs) * 1000) / COUNT,
    databaseMicros: ((cpuMs(server.postgresPid).server - databaseMs) * 1000) / COUNT,
  }
}

async function isAny(statement: string): Promise<boolean> {
  return (await database.queue.query(statement, [brandId])).count > 0
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(LOOK_MS)
}

async function callAll(path: string, names: readonly string[]): Promise<void> {
  const left = names.values()
  const callInTurn = async (): Promise<void> => {
    for (const name of left) {
      const fields = { subscription_id: name, title: 'Hello', message: 'It arrives tomorrow.' }
      const status = await call(path, fields)
      if (status !== 200) throw new Error(`${path} was answered with ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, callInTurn))
}

async function call(path: string, fields: object): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { ...server.headers, 'content-type': 'application/json' }
  const options = {
    host: '127.0.0.1',
    port: server.port,
    path,
    method: 'POST',
    headers,
    agent,
  }
  request(options, (reply) => void reply.resume().on('end', () => resolve(reply.statusCode ?? 0)))
    .on('error', reject)
    .end(JSON.stringify(fields))
  return promise
}

async function namesOf(ids: readonly bigint[]): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string }>(
    'select subscription_id as name from subscriptions where brand_id = $1 and id = any($2)',
    [brandId, ids],
  )
  return rows.map(({ name }) => name)
}

function devices(): readonly SeedDevice[] {
  return Array.from({ length: COUNT }, androidDevice)
}

function run(file: string, args: readonly string[]) {
  const path = join(import.meta.dirname, file)
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function firstLine({ stdout }: ReturnType<typeof run>): Promise<string> {
  const [line] = await once(stdout, 'data')
  return String(line)
}
