import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { ANYONE } from '../../src/sandbox/faults.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { atLength } from '../support/length.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { findKillTarget, type KillTarget } from '../support/processes/kill-targets.ts'
import { findQuietPort } from '../support/processes/quiet-port.ts'
import { PushCallers, userOf } from '../support/push/callers.ts'
import { checkArrivals, type Kill } from '../support/push/check-arrivals.ts'
import { sandboxAccess } from '../support/push/engine.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { until } from '../support/until.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

/** Forty in all at full length, and each kind at every length. */
const KILL_TARGETS: readonly KillTarget[] = [
  ...Array<'worker'>(atLength(18, { short: 1 })).fill('worker'),
  ...Array<'api'>(atLength(9, { short: 1 })).fill('api'),
  ...Array<'database'>(atLength(5)).fill('database'),
  ...Array<'supervisor'>(atLength(5)).fill('supervisor'),
  ...Array<'machine'>(atLength(3)).fill('machine'),
]

/** Between two kills at most so many calls are acknowledged. */
const CALLS_MAX = 10

test('kills of anybody: what was acknowledged reaches each of its devices, and only what was in flight is repeated', async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  context.diagnostic(`seed ${seed}`)
  const random = new SeededRandom(seed)
  const delays = monitorEventLoopDelay()
  delays.enable()
  const place = await startPlace(context)
  const { sandbox, folder, callers } = place
  let { beckon } = place
  const kills: Kill[] = []
  for (const target of random.shuffle(KILL_TARGETS)) {
    const enough = callers.acknowledged.length + Math.ceil(random.next() * CALLS_MAX)
    await until(() => callers.acknowledged.length >= enough, { what: 'acknowledged calls' })
    // A few must be tried again, so that there are chunks of retries to be lost, too.
    sandbox.apns.faults.add(ANYONE, { kind: 'answer', status: 503 }, 3)
    const pids = await findKillTarget(target, { beckon, folder, random })
    kills.push({ target, at: Date.now() })
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    if (!pids.includes(beckon.pid)) continue
    await beckon.ended
    beckon = await place.start()
  }
  await callers.stop()

  await withDatabase(folder, async (db) => {
    await until(async () => (await unfinished(db)) === 0, { what: 'the end of every notification' })
    const arrivals = sandbox.inbox.newest()
    const { acknowledged } = callers
    const delayMsMax = delays.max / 1e6
    const found = await checkArrivals(db, { arrivals, kills, acknowledged, delayMsMax })
    context.diagnostic(`${found.arrivals} arrivals, ${found.repeats} of them repeats`)
  })
  assert.deepEqual(callers.wrongSums, [])
  assert.ok(callers.looks > KILL_TARGETS.length, `${callers.looks} looks at the counts`)
})

type Place = {
  readonly sandbox: Sandbox
  readonly folder: string
  readonly beckon: RunningBeckon
  readonly callers: PushCallers
  readonly start: () => Promise<RunningBeckon>
}

const IOS_DEVICES = atLength(300) + 50
/** So that a broadcast is still being sent when the next second begins. */
const PER_SECOND = IOS_DEVICES - 20
const ANDROID_DEVICES = 30

/** The sandbox lives in the test, since the one of a Beckon would die with it. */
async function startPlace(context: TestContext): Promise<Place> {
  const folder = await freshFolder(context)
  const port = await findQuietPort()
  const sandbox = await startSandbox({ arrivalsMax: 200_000 })
  endWith(context, async () => sandbox.close())
  const start = async (): Promise<RunningBeckon> =>
    startBeckon(context, {
      PORT: String(port),
      BECKON_DATA_DIR: folder,
      // Whoever dies often is started again later and later, so many deaths are spread over two.
      BECKON_API_PROCESSES: String(atLength(2)),
      BECKON_WORKER_PROCESSES: '2',
      BECKON_BRAND_ID: BRAND['x-brand-id'],
      BECKON_API_KEY: BRAND['x-api-key'],
    })
  const beckon = await start()
  await saveSandboxFile(folder, sandboxAccess(sandbox))
  const api = `http://127.0.0.1:${port}/api/v1`
  const ios = Array.from({ length: IOS_DEVICES }, () => sandbox.apns.newToken())
  const android = Array.from({ length: ANDROID_DEVICES }, () => sandbox.fcm.newToken())
  await Promise.all([
    ...ios.map(async (token) => register(api, { platform: 'ios', token })),
    ...android.map(async (token) => register(api, { platform: 'android', token })),
  ])
  const callers = new PushCallers({ api, headers: BRAND, ios, android, perSecond: PER_SECOND })
  endWith(context, async () => callers.stop())
  return { sandbox, folder, beckon, callers, start }
}

async function register(
  api: string,
  { platform, token }: { readonly platform: string; readonly token: string },
): Promise<void> {
  const reply = await askBeckon(`${api}/subscriptions`, {
    method: 'POST',
    headers: { ...BRAND, 'content-type': 'application/json' },
    body: JSON.stringify({ platform, token, user_id: userOf(token) }),
  })
  assert.equal(reply.status, 200, await reply.text())
}

async function withDatabase(folder: string, work: (db: Db) => Promise<void>): Promise<void> {
  // It may have been the last to be killed.
  await until(async () => (await findPostgres(folder)) !== null, { what: 'the database' })
  await withOwner((await findPostgres(folder)) ?? '', work)
}

async function unfinished(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (select count(*) from notifications where finished_at is null)::integer
       + (select count(*) from chunks)::integer as count`,
  )
  return rows[0]?.count ?? 0
}
