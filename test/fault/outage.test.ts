import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { borrow, openPool } from '../../src/store/connection/pool.ts'
import { PrimaryHosts } from '../../src/store/connection/primary-hosts.ts'
import { readDatabaseUrl, sessionSettings } from '../../src/store/session-settings.ts'
import { troubleOf } from '../../src/store/unavailable.ts'
import { type Fields, fieldsOf } from '../cluster/fields.ts'
import { startCluster } from '../support/database/cluster.ts'
import { freshDatabase } from '../support/database/database.ts'
import { startTcpProxy } from '../support/database/tcp-proxy.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const BRAND = { id: 'shop', key: 'the key of an outage, long enough for the start' } as const
/** More callers than a process has connections. */
const CONNECTIONS = 4
const CROWD = 40
const PROCESSES = ['api-1', 'worker-1'] as const
const AWAY = 'the database is away'
const BACK = 'the database is back'
const REQUEST_FAILED = 'a request could not reach the database'

test('a database that is killed under a crowd: two lines for each process, and 503 database_away', async (context) => {
  const { node, beckon, crowd } = await start(context, (url) => url)
  await endure(beckon, crowd, { begin: async () => node.kill(), end: async () => node.start() })
})

test('a machine that falls silent under a crowd: the same, also for calls that got no connection', async (context) => {
  const silent: { fall: () => void; end: () => void } = { fall: () => undefined, end: () => undefined }
  const { beckon, crowd } = await start(context, async (url) => {
    const { host, port } = new URL(url)
    const proxy = await startTcpProxy(context, Number(port))
    silent.fall = () => proxy.fallSilent()
    silent.end = () => proxy.speakAgain()
    return url.replace(host, `${proxy.address},127.0.0.1:1`)
  })
  await endure(beckon, crowd, { begin: silent.fall, end: silent.end })
})

test('a pool whose connections are at work is told from one whose only machine fell silent', async (context) => {
  const { url, drop } = await freshDatabase()
  endWith(context, drop)
  const { host, port } = new URL(url)
  const proxy = await startTcpProxy(context, Number(port))
  const own = url.replace(host, proxy.address)
  const session = sessionSettings({ url: own, name: 'test', connectTimeoutMs: 5_000 }, 'beckon_engine')
  const hosts = new PrimaryHosts(readDatabaseUrl(own), session)
  const pool = openPool(hosts, session, 1)
  const working = await pool.connect()
  endWith(context, async () => {
    working.release(true)
    await pool.end()
  })
  const refused = async (): Promise<unknown> =>
    borrow({ pool, hosts }, async () => undefined).catch((cause: unknown) => cause)
  assert.equal(troubleOf(await refused()), 'busy')
  proxy.fallSilent()
  // The greeting of a moment ago still counts.
  await until(async () => troubleOf(await refused()) === 'away', { what: 'a machine that is found silent' })
  proxy.speakAgain()
  await until(async () => troubleOf(await refused()) === 'busy', { what: 'the machine again' })
})

type Deed = { readonly begin: () => void | Promise<void>; readonly end: () => void | Promise<void> }

/** An outage, from its first line to its last, and what the log and the callers were told. */
async function endure(beckon: RunningBeckon, crowd: Crowd, { begin, end }: Deed): Promise<void> {
  await until(() => crowd.answers.length > CROWD, { what: 'a crowd that is answered' })
  await begin()
  await until(() => PROCESSES.every((name) => messagesOf(beckon, name).length === 1), {
    what: 'a line of each process',
  })
  const from = performance.now()
  const during = (): readonly Answer[] => crowd.answers.filter(({ askedAt }) => askedAt > from)
  await until(() => during().length >= CROWD, { what: 'a crowd that is refused' })
  const refused = during()
  await end()
  await until(() => PROCESSES.every((name) => messagesOf(beckon, name).length >= 2), {
    what: 'the end of the outage in each process',
  })
  await crowd.stop()
  for (const { status, code, retryAfter } of refused) {
    assert.deepEqual([status, code], [503, 'database_away'])
    assert.ok(retryAfter >= 3 && retryAfter <= 13, `Retry-After: ${retryAfter}`)
  }
  for (const name of PROCESSES) assert.deepEqual(messagesOf(beckon, name), [AWAY, BACK])
  const [, back] = linesOf(beckon, 'api-1')
  assert.ok(Number(fieldsOf(back?.['failed'])[REQUEST_FAILED]) >= refused.length)
  const [since, last] = [back?.['away_from'], back?.['away_until']].map((text) => Date.parse(String(text)))
  assert.equal(Number(last) - Number(since), back?.['away_ms'])
  assert.deepEqual(
    linesIn(beckon.stderr()).filter((line) => JSON.stringify(line).includes('"stack"')),
    [],
  )
}

/** A Beckon with its database, and callers that ask all the time. */
async function start(context: TestContext, reach: (url: string) => string | Promise<string>) {
  const [node] = (await startCluster(context, 1)).nodes
  assert.ok(node !== undefined)
  const beckon = await startBeckon(context, {
    DATABASE_URL: await reach(node.url),
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_BRAND_ID: BRAND.id,
    BECKON_API_KEY: BRAND.key,
    BECKON_REQUEST_LOG: 'off',
    BECKON_DATABASE_CONNECTIONS: String(CONNECTIONS),
  })
  const crowd = new Crowd(beckon.url)
  endWith(context, async () => crowd.stop())
  return { node, beckon, crowd }
}

type Answer = {
  readonly askedAt: number
  readonly status: number
  readonly code: unknown
  readonly retryAfter: number
}

class Crowd {
  readonly answers: Answer[] = []
  readonly #url: string
  readonly #stop = new AbortController()
  readonly #callers: readonly Promise<void>[]

  constructor(url: string) {
    this.#url = url
    this.#callers = Array.from({ length: CROWD }, async () => this.#ask())
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#callers)
  }

  async #ask(): Promise<void> {
    const headers = { 'x-api-key': BRAND.key, 'x-brand-id': BRAND.id }
    while (!this.#stop.signal.aborted) {
      const askedAt = performance.now()
      const reply = await fetch(`${this.#url}/api/v1/topics`, { headers })
      const { code } = fieldsOf(await reply.json())
      const retryAfter = Number(reply.headers.get('retry-after') ?? Number.NaN)
      this.answers.push({ askedAt, status: reply.status, code, retryAfter })
      await wait(PACE_MS)
    }
  }
}

/** A small machine has other work to do. */
const PACE_MS = 50

function messagesOf(beckon: RunningBeckon, name: string): readonly unknown[] {
  return linesOf(beckon, name).map(({ msg }) => msg)
}

/** The lines of a process about outages. */
function linesOf(beckon: RunningBeckon, name: string): readonly Fields[] {
  return linesIn(beckon.stderr()).filter(
    ({ process, msg }) => process === name && (msg === AWAY || msg === BACK),
  )
}

function linesIn(log: string): readonly Fields[] {
  const whole = log.slice(0, log.lastIndexOf('\n') + 1).split('\n')
  return whole.filter((line) => line.startsWith('{')).map((line) => fieldsOf(JSON.parse(line)))
}
