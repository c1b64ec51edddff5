import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveSandboxFile } from '../../src/delivery/sandbox-file.ts'
import { databaseFolder } from '../../src/runtime/postgres/bring-up.ts'
import { findServer } from '../../src/runtime/postgres/find-server.ts'
import { findFreePort } from '../../src/runtime/postgres/free-port.ts'
import { findPostgres } from '../../src/runtime/postgres/start.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { crewOf, endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/beckon.ts'
import { placesOf } from '../support/engine.ts'
import { until } from '../support/until.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const
const DEVICES = 400
const ACCEPTED_PER_ROUND = 10

/** Whom each round kills; a supervisor takes its processes with it, and the machine also the database. */
const VICTIMS = [
  'worker',
  'api',
  'worker',
  'supervisor',
  'worker',
  'machine',
  'api',
  'worker',
  'supervisor',
  'worker',
] as const

test('whoever is killed, every acknowledged notification reaches each of its devices, and the sums are right', async (context) => {
  const folder = await freshFolder(context)
  const port = await findFreePort(null)
  const sandbox = await startSandbox({ arrivalsMax: 200_000 })
  endWith(context, async () => sandbox.close())
  const environment = {
    PORT: String(port),
    BECKON_DATA_DIR: folder,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
  }
  let beckon = await startBeckon(context, environment)
  // The sandbox lives in the test, since the one of a Beckon would die with it.
  await saveSandboxFile(folder, placesOf(sandbox))
  const api = `http://127.0.0.1:${port}/api/v1`
  const tokens = Array.from({ length: DEVICES }, () => sandbox.apns.newToken())
  for (const token of tokens) await call(`${api}/subscriptions`, { platform: 'ios', token, user_id: token })

  const callers = new Callers(api, tokens)
  endWith(context, async () => callers.stop())
  for (const victim of VICTIMS) {
    const before = callers.accepted.length
    await until(() => callers.accepted.length >= before + ACCEPTED_PER_ROUND, {
      what: 'accepted notifications',
    })
    if (await kill(beckon, victim, folder)) beckon = await startBeckon(context, environment)
  }
  await callers.stop()

  await withDatabase(folder, async (db) => {
    await until(async () => (await unfinished(db)) === 0, { what: 'the end of every notification' })
    const { rows } = await db.query<Row>(
      `select id::text, mode, audience, accepted, pending, state from notifications`,
    )
    const stored = new Map(rows.map((row) => [row.id, row]))
    assert.deepEqual(
      callers.accepted.filter((id) => !stored.has(id)),
      [],
      'every acknowledged notification is there',
    )
    for (const { id, state, audience, accepted, pending } of rows) {
      assert.deepEqual([state, accepted, pending], ['sent', audience, 0], id)
    }
    const identities = new Set(
      sandbox.inbox.newest().map(({ address, collapseId }) => `${address} ${collapseId}`),
    )
    const wanted = rows.reduce((sum, { accepted }) => sum + accepted, 0)
    assert.equal(identities.size, wanted, 'each arrived, and a repeat has the identity of the first')
  })
})

type Row = {
  readonly id: string
  readonly audience: number
  readonly accepted: number
  readonly pending: number
  readonly state: string
}

type Victim = (typeof VICTIMS)[number]

/** True when it takes a new start to go on; the supervisor replaces its processes by itself. */
async function kill(beckon: RunningBeckon, victim: Victim, folder: string): Promise<boolean> {
  if (victim === 'worker' || victim === 'api') {
    const crew = await crewOf(beckon.pid)
    const found = crew.find(({ command }) => command.includes(` ${victim} --name`))
    if (found !== undefined) process.kill(found.pid, 'SIGKILL')
    return false
  }
  const server = await findServer(databaseFolder(folder))
  beckon.send('SIGKILL')
  if (victim === 'machine' && server !== null) process.kill(server.pid, 'SIGKILL')
  await beckon.ended
  return true
}

async function withDatabase(folder: string, work: (db: Db) => Promise<void>): Promise<void> {
  const url = await findPostgres(folder)
  assert.ok(url !== null)
  await withOwner(url, work)
}

async function unfinished(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from notifications where finished_at is null`,
  )
  return rows[0]?.count ?? 0
}

/** Sends to one person after the other, and to everybody now and then, and remembers what was acknowledged. */
class Callers {
  readonly accepted: string[] = []
  readonly #stop = new AbortController()
  readonly #calling: Promise<void>

  constructor(api: string, users: readonly string[]) {
    this.#calling = this.#call(api, users)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#calling
  }

  async #call(api: string, users: readonly string[]): Promise<void> {
    for (let count = 0; !this.#stop.signal.aborted; count += 1) {
      const content = { title: 'Hello', message: `number ${count}` }
      const isBroadcast = count % 20 === 0
      const path = isBroadcast ? 'broadcast/all' : 'send'
      const body = isBroadcast ? content : { ...content, user_id: users[count % users.length] }
      const id = await call(`${api}/ios/${path}`, body)
      if (id !== null) this.accepted.push(id)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** The id of what was accepted; null when nobody answered, or not with a success. */
async function call(url: string, body: object): Promise<string | null> {
  const headers = { ...BRAND, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null)
  if (reply?.status !== 200) return null
  const text = await reply.text().catch(() => '')
  return /"notification":\{"id":"([^"]+)"/.exec(text)?.[1] ?? null
}
