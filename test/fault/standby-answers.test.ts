import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY_KINDS } from '../../src/rules/brand.ts'
import { createKey } from '../../src/store/brand/api-keys.ts'
import { ensureBrand } from '../../src/store/brand/brands.ts'
import { Database, type Db } from '../../src/store/db.ts'
import { startCluster } from '../support/database/cluster.ts'
import { PATIENT, type TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { endWith } from '../support/processes/beckon.ts'
import { type Answer, type Call, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { linesIn } from '../support/series/series.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const PORT = 'select inet_server_port() as port'
const DEVICES = { filter: { field: 'platform', is: 'eq', value: 'android' } }

type Question = Call & {
  /** How many people, devices or events the answer counts. */
  readonly countIn: (answer: Answer) => number
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  statistics: {
    path: '/api/v1/events/stats?by=name',
    countIn: ({ body }) => Number(Object(body['stats'])[0].count),
  },
  'a query': {
    path: '/api/v1/events/query',
    body: { event_name: 'buy' },
    countIn: ({ body }) => Number(Object(body['answer']).total.value),
  },
  'a funnel': {
    path: '/api/v1/events/funnel',
    body: { steps: ['buy', 'buy'], within: 60 },
    countIn: ({ body }) => Number(Object(body['funnel'])[0].users),
  },
  'an export': {
    path: '/api/v1/events/export',
    countIn: ({ text }) => text.trimEnd().split('\n').length,
  },
  'a preview of a segment': {
    path: '/api/v1/segments/preview',
    body: DEVICES,
    countIn: ({ body }) => Number(body['count']),
  },
  'an exact preview of a segment': {
    path: '/api/v1/segments/preview',
    body: { ...DEVICES, exact: true },
    countIn: ({ body }) => Number(body['count']),
  },
  'a series': {
    path: '/api/v1/series?metric=subscriptions&by=day',
    countIn: (answer) => Number(linesIn(answer)[0]?.counts.at(-1)),
  },
}

/**
 * The replay of the standby is paused, and then the primary gets a second event and a second device. So an answer that
 * counts one of them is the standby's, and an answer that counts both is the primary's.
 */
test('questions over HTTP are answered by a standby that is young enough, or else by the primary', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [, standby] = nodes
  assert.ok(standby !== undefined)
  const open = async (readLagMaxMs: number) => {
    const options = { ...PATIENT, connectionsMax: 10, name: 'beckon test' } as const
    const database = new Database({ ...options, url: url(nodes), readUrl: standby.url, readLagMaxMs })
    const server = await startServer({ deps: { database } })
    endWith(context, async () => {
      await server.close()
      await database.close()
    })
    return { database, port: server.port }
  }
  // The age that the one allows is longer than the test, and that of the other is over with every question.
  const [lenient, strict] = [await open(24 * 3_600_000), await open(100)]
  const brand = await makeBrand(strict.database)
  const add = async (userID: string): Promise<void> => {
    const logged = await logEntries(strict.port, brand, [entryOf({ userID, event_name: 'buy' })])
    assert.equal(logged.status, 200, logged.text)
    await seedSubscriptions(strict.database, { brandId: brand.brandId, userId: userID })
  }
  const isOnStandby = async ({ database }: typeof strict): Promise<boolean> =>
    (await database.asReader(brand.brandId, portIn)) === standby.port
  const answers = async ({ port }: typeof strict): Promise<Readonly<Record<string, number>>> => {
    const found: Record<string, number> = {}
    for (const [name, { countIn, ...asked }] of Object.entries(QUESTIONS)) {
      const answer = await call(port, { ...asked, headers: keyHeaders(brand) })
      assert.equal(answer.status, 200, answer.text)
      found[name] = countIn(answer)
    }
    return found
  }

  await add('ann')
  // The first question of each asks for all that is written by now.
  await until(async () => isOnStandby(lenient), { what: 'a standby that has the first rows' })
  await standby.run('select pg_wal_replay_pause()')
  await until(async () => isPaused(lenient.database.reader), { what: 'a replay that stands still' })
  await add('bob')
  assert.deepEqual(await answers(lenient), allCount(1))
  assert.deepEqual(await answers(strict), allCount(2))

  await standby.run('select pg_wal_replay_resume()')
  await until(async () => isOnStandby(strict), { what: 'a standby that has all rows' })
  assert.deepEqual(await answers(lenient), allCount(2))
})

/** The answers to all questions, if each counts so many. */
function allCount(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(QUESTIONS).map((name) => [name, count]))
}

async function portIn(db: Db): Promise<number> {
  const { rows } = await db.query<{ port: number }>(PORT)
  return rows[0]?.port ?? 0
}

async function isPaused(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
  return rows[0]?.state === 'paused'
}

async function makeBrand(db: Db): Promise<TestBrand> {
  const [externalId, secretKey, now] = ['acme', 'a key of this test', Date.now()]
  const { id: brandId } = await ensureBrand(db, { externalId, name: externalId, now })
  const key = {
    kind: 'secret',
    plaintext: secretKey,
    scopes: KEY_KINDS.secret.scopes,
    label: 'test',
  } as const
  await createKey(db, { ...key, brandId, now })
  return { brandId, externalId, secretKey, publishableKey: '' }
}
