import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { DRAIN_MAX_MS } from '../../src/runtime/processes/shutdown.ts'
import { withOwner } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import {
  childrenOf,
  endWith,
  freshFolder,
  type RunningBeckon,
  startBeckon,
} from '../support/processes/beckon.ts'
import { Load } from '../support/processes/load.ts'
import { until } from '../support/until.ts'

/** A line of the log that says something went wrong. */
const TROUBLE = /"level":"(?:warn|error|fatal)"/

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

/** A Beckon on a database of its own on the tests' server, which is up sooner than an embedded one. */
async function start(context: TestContext, more: Readonly<Record<string, string>> = {}) {
  const { url: databaseUrl, drop } = await freshDatabase()
  const folder = await freshFolder(context)
  endWith(context, drop)
  const beganAt = performance.now()
  const beckon = await startBeckon(context, {
    DATABASE_URL: databaseUrl,
    BECKON_DATA_DIR: folder,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
    ...more,
  })
  return { beckon, databaseUrl, startMs: performance.now() - beganAt }
}

/** Holds the keys' table, so that a request waits for its answer, until `release`. */
async function holdRequests(databaseUrl: string): Promise<{ release: () => Promise<void> }> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const session = withOwner(databaseUrl, async (owner) => {
    await owner.query('begin')
    await owner.query('lock table api_keys in access exclusive mode')
    held.resolve()
    await released.promise
    await owner.query('commit')
  })
  await held.promise
  return {
    release: async () => {
      released.resolve()
      await session
    },
  }
}

async function isWaiting(databaseUrl: string): Promise<boolean> {
  return withOwner(databaseUrl, async (owner) => {
    const { rows } = await owner.query(
      `select from pg_locks where relation = 'api_keys'::regclass and not granted`,
    )
    return rows.length > 0
  })
}

async function isRefused(beckon: RunningBeckon): Promise<boolean> {
  const { hostname, port } = new URL(beckon.url)
  const socket = connect(Number(port), hostname)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
  }).then((isClosed) => {
    socket.destroy()
    return isClosed === true
  })
}

test('SIGTERM lets a request in flight end, takes no new one, and leaves nothing behind', async (context) => {
  const { beckon, databaseUrl } = await start(context)
  const hold = await holdRequests(databaseUrl)
  const slow = askBeckon(`${beckon.url}/api/v1/brand`, { headers: BRAND })
  await until(async () => isWaiting(databaseUrl), { what: 'the request to be in flight' })
  const children = await childrenOf(beckon.pid)
  assert.equal(children.length, 2)

  beckon.send('SIGTERM')
  await until(async () => isRefused(beckon), { what: 'new connections to be refused' })
  await hold.release()
  const reply = await slow
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('connection'), 'close')
  assert.deepEqual(await beckon.ended, { code: 0, signal: null })
  assert.doesNotMatch(beckon.stderr(), TROUBLE)
  for (const { pid } of children) assert.throws(() => process.kill(pid, 0), /ESRCH/)
})

test('a request that never ends is cut off, and the stop takes at most 10 seconds', async (context) => {
  const { beckon, databaseUrl, startMs } = await start(context)
  const hold = await holdRequests(databaseUrl)
  const slow = askBeckon(`${beckon.url}/api/v1/brand`, { headers: BRAND }).then(
    () => 'answered',
    () => 'cut off',
  )
  await until(async () => isWaiting(databaseUrl), { what: 'the request to be in flight' })
  const askedAt = performance.now()
  beckon.send('SIGTERM')
  await beckon.ended
  const tookMs = performance.now() - askedAt
  await hold.release()
  assert.equal(await slow, 'cut off')
  // What comes after the drain takes two seconds, or less than a start takes on a machine that is slower.
  assert.ok(tookMs < DRAIN_MAX_MS + Math.max(2_000, startMs), `${tookMs} ms`)
  assert.ok(DRAIN_MAX_MS + 2_000 <= 10_000)
})

test('a second signal ends a stop that waits; an echo of the first does not', async (context) => {
  const { beckon, databaseUrl, startMs } = await start(context)
  const hold = await holdRequests(databaseUrl)
  const slow = askBeckon(`${beckon.url}/api/v1/brand`, { headers: BRAND }).then(
    () => 'answered',
    () => 'cut off',
  )
  await until(async () => isWaiting(databaseUrl), { what: 'the request to be in flight' })
  beckon.send('SIGINT')
  beckon.send('SIGINT') // npm passes on what the terminal already said
  await until(async () => isRefused(beckon), { what: 'new connections to be refused' })
  const askedAt = performance.now()
  await until(() => performance.now() - askedAt > 1_100, { what: 'the echo to be over' })
  await until(async () => (await childrenOf(beckon.pid)).length === 1, { what: 'only the API to be left' })
  const hurriedAt = performance.now()
  beckon.send('SIGINT')
  await beckon.ended
  // A start is the measure of a machine that is slow.
  assert.ok(performance.now() - hurriedAt < Math.max(3_900, startMs))
  await hold.release()
  assert.equal(await slow, 'cut off')
})

test('Ctrl-C reaches every process of the terminal, and still no request is cut off', async (context) => {
  const { beckon, databaseUrl } = await start(context)
  const hold = await holdRequests(databaseUrl)
  const slow = askBeckon(`${beckon.url}/api/v1/brand`, { headers: BRAND })
  await until(async () => isWaiting(databaseUrl), { what: 'the request to be in flight' })
  process.kill(-beckon.pid, 'SIGINT')
  await until(async () => isRefused(beckon), { what: 'new connections to be refused' })
  await hold.release()
  assert.equal((await slow).status, 200)
  assert.deepEqual(await beckon.ended, { code: 0, signal: null })
})

/** Starting a Beckon is slow, so the cases share one. */
test('processes of one Beckon', async (context) => {
  const { beckon } = await start(context, { BECKON_API_PROCESSES: '2' })
  await context.test(
    'any API process answers /metrics for all, and a stuck one does not hold it up',
    async () => measureAll(beckon),
  )
  await context.test('a rolling restart under load fails no request', async (inner) =>
    restartUnderLoad(inner, beckon),
  )
  await context.test('a process that dies is replaced, the others go on, and it is counted', async () =>
    replaceTheDead(beckon),
  )
  await context.test(
    'a process that keeps dying is tried again and again, is told of, and takes nobody with it',
    async () => keepKilling(beckon),
  )
  await context.test('the child processes exit when its supervisor is killed', async () => killAbove(beckon))
})

async function replaceTheDead(beckon: RunningBeckon): Promise<void> {
  const before = await childrenOf(beckon.pid)
  assert.equal(before.length, 3)
  for (const { pid } of before) process.kill(pid, 'SIGKILL')
  const known = new Set(before.map(({ pid }) => pid))
  await until(
    async () => {
      const now = await childrenOf(beckon.pid)
      return now.length === 3 && now.every(({ pid }) => !known.has(pid))
    },
    { what: 'three new processes' },
  )
  await until(async () => isAnswered(beckon), { what: 'an answer on the same port' })
  // A machine that is too slow for a new process makes it die once more, so the deaths are those that were told.
  await until(
    async () => {
      const metrics = await (await fetch(`${beckon.url}/metrics`)).text()
      return ['api-1', 'api-2', 'worker-1'].every((name) => {
        const deaths = beckon.stderr().split('\n').filter(isDeathOf(name)).length
        const line = `beckon_process_restarts_total{name="${name}",process="supervisor"} ${deaths}\n`
        return deaths > 0 && metrics.includes(line)
      })
    },
    { what: 'a restart counted for each death' },
  )
}

function isDeathOf(name: string): (line: string) => boolean {
  return (line) => line.includes(`"name":"${name}"`) && line.includes('a process died and is started again')
}

async function keepKilling(beckon: RunningBeckon): Promise<void> {
  const worker = async () =>
    (await childrenOf(beckon.pid)).find(({ command }) => command.includes('worker-1'))
  await until(
    async () => {
      const found = await worker()
      if (found !== undefined) process.kill(found.pid, 'SIGKILL')
      return /worker-1 keeps dying/.test(beckon.stderr())
    },
    { what: 'a word about it' },
  )
  assert.equal(await isAnswered(beckon), true)
  await until(async () => (await worker()) !== undefined, { what: 'the worker to be back' })
}

async function isAnswered(beckon: RunningBeckon): Promise<boolean> {
  return fetch(`${beckon.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function killAbove(beckon: RunningBeckon): Promise<void> {
  const children = await childrenOf(beckon.pid)
  beckon.send('SIGKILL')
  await until(() => children.every(({ pid }) => !isAlive(pid)), { what: 'the child processes to be gone' })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function measureAll(beckon: RunningBeckon): Promise<void> {
  const scrape = async (): Promise<string> => (await fetch(`${beckon.url}/metrics`)).text()
  // On a slow machine a process may answer the supervisor too late for one scrape.
  const lines = ['supervisor', 'api-1', 'api-2', 'worker-1'].map(
    (name) => new RegExp(`^process_cpu_seconds_total\\{process="${name}"\\}`, 'm'),
  )
  await until(
    async () => {
      const all = await scrape()
      return lines.every((line) => line.test(all))
    },
    { what: 'the metrics of all four processes' },
  )
  const worker = (await childrenOf(beckon.pid)).find(({ command }) => command.includes('worker-1'))
  process.kill(worker?.pid ?? 0, 'SIGSTOP')
  // The worker stands still until after the scrape: whoever waited for it would wait for ever. On a slow machine an API
  // process may give up on the supervisor too, and shows its own metrics.
  const named = ['api-1', 'api-2'].map((name) => new RegExp(`process="${name}"`))
  let rest = ''
  await until(
    async () => {
      rest = await scrape()
      return named.every((name) => name.test(rest))
    },
    { what: 'the metrics of both API processes' },
  )
  assert.doesNotMatch(rest, /process="worker-1"/)
  process.kill(worker?.pid ?? 0, 'SIGCONT')
}

async function restartUnderLoad(context: TestContext, beckon: RunningBeckon): Promise<void> {
  const before = new Set((await childrenOf(beckon.pid)).map(({ pid }) => pid))
  const load = new Load(beckon.url, BRAND)
  endWith(context, async () => load.stop())
  await until(() => load.answered > 100, { what: 'load' })
  beckon.send('SIGHUP')
  await until(() => /rolling restart is done/.test(beckon.stderr()), { what: 'the rolling restart' })
  const answered = load.answered
  await until(() => load.answered > answered + 100, { what: 'load after it' })
  await load.stop()
  const after = (await childrenOf(beckon.pid)).map(({ pid }) => pid)
  assert.equal(after.length, 3)
  assert.deepEqual(
    after.filter((pid) => before.has(pid)),
    [],
  )
  assert.deepEqual(load.failures, [])
}
