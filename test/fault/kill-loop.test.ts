import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findServer } from '../../src/runtime/postgres/find-server.ts'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { databaseFolder } from '../../src/runtime/postgres/start-server.ts'
import { withOwner } from '../../src/store/db.ts'
import { atLength } from '../support/length.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { findQuietPort } from '../support/processes/quiet-port.ts'
import { until } from '../support/until.ts'

const KILLS = atLength(10)
const ACKNOWLEDGED_PER_ROUND = 20
const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

test('kills in a row: it comes up every time with everything that was acknowledged', async (context) => {
  const folder = await freshFolder(context)
  const port = await findQuietPort()
  const environment = {
    PORT: String(port),
    BECKON_DATA_DIR: folder,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
  }
  let beckon = await startBeckon(context, environment)
  const writers = new Writers(`http://127.0.0.1:${port}/api/v1/subscriptions`)
  endWith(context, async () => writers.stop())

  for (let round = 1; round <= KILLS; round += 1) {
    const before = writers.acknowledged.length
    await until(() => writers.acknowledged.length >= before + ACKNOWLEDGED_PER_ROUND, {
      what: `acknowledged writes in round ${round}`,
    })
    await kill(beckon, { folder, withDatabase: round % 3 === 0 })
    beckon = await startBeckon(context, environment)
  }
  await writers.stop()

  const url = await findPostgres(folder)
  assert.ok(url !== null)
  const { rows } = await withOwner(url, async (owner) =>
    owner.query<{ name: string }>('select subscription_id as name from subscriptions'),
  )
  const kept = new Set(rows.map(({ name }) => name))
  assert.ok(writers.acknowledged.length >= KILLS * ACKNOWLEDGED_PER_ROUND)
  assert.deepEqual(
    writers.acknowledged.filter((name) => !kept.has(name)),
    [],
  )
})

/** In some rounds the database dies too, as it would with the machine. */
async function kill(
  beckon: RunningBeckon,
  { folder, withDatabase }: { readonly folder: string; readonly withDatabase: boolean },
): Promise<void> {
  const server = await findServer(databaseFolder(folder))
  assert.ok(server !== null)
  beckon.send('SIGKILL')
  if (withDatabase) process.kill(server.pid, 'SIGKILL')
  await beckon.ended
}

/** Three clients that register one device after another, and remember those that were acknowledged. */
class Writers {
  readonly acknowledged: string[] = []
  readonly #stop = new AbortController()
  readonly #clients: readonly Promise<void>[]
  #count = 0

  constructor(url: string) {
    this.#clients = Array.from({ length: 3 }, async () => this.#write(url))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#clients)
  }

  async #write(url: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const name = `device-${++this.#count}`
      if (await isAcknowledged(url, name)) this.acknowledged.push(name)
      else await new Promise((resolve) => setTimeout(resolve, 20)) // it is down; ask again soon
    }
  }
}

async function isAcknowledged(url: string, name: string): Promise<boolean> {
  const body = { platform: 'android', token: `token-${name}`, subscription_id: name }
  const headers = { ...BRAND, 'content-type': 'application/json' }
  const asked = fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return asked.then(
    async (reply) => {
      await reply.body?.cancel()
      return reply.status === 200
    },
    () => false,
  )
}
