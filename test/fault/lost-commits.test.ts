import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { EventIntake } from '../../src/intake/events/intake.ts'
import { hearEvents } from '../../src/pipeline/journeys/events.ts'
import { advanceJourney } from '../../src/pipeline/journeys/steps.ts'
import { newId } from '../../src/runtime/secrets/crypto.ts'
import { CommitUnknown } from '../../src/store/connection/commit-marks.ts'
import type { DatabaseOptions } from '../../src/store/database-options.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { JourneyPlans } from '../../src/store/journeys/plans.ts'
import { isOutcomeUnknown } from '../../src/store/unavailable.ts'
import { enqueueWebhooks } from '../../src/store/webhooks/outbox.ts'
import { claimWebhooks, settleCall } from '../../src/store/webhooks/queue.ts'
import { startCluster } from '../support/database/cluster.ts'
import { freshDatabase, PATIENT, type TestDatabase } from '../support/database/database.ts'
import { type ProxiedConnection, startTcpProxy } from '../support/database/tcp-proxy.ts'
import { GOOD, parseNv, SETTINGS } from '../support/events/event-body.ts'
import { countStates, seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'
import { endWith } from '../support/processes/beckon.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'
import { addEndpoint, outboxOf } from '../support/webhooks/webhooks.ts'

let fresh: TestDatabase
before(async () => {
  fresh = await freshDatabase()
})
after(async () => fresh.drop())

/** The ways in which the network treats the first commit of a transaction. */
const FAULTS = {
  'the commit arrives and its answer is lost': (
    bytes: Buffer,
    { cutClient, forward }: ProxiedConnection,
  ): void => {
    forward(bytes)
    cutClient()
  },
  'the commit is lost with its connection': (_: Buffer, { cut }: ProxiedConnection): void => cut(),
  'the commit is lost, and its session lives on': (_: Buffer, { cutClient }: ProxiedConnection): void =>
    cutClient(),
} as const

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`${name}: a transaction is stored once, and its caller answered`, async (context) => {
    const { database, commits } = await openBehind(context, fault)
    let runs = 0
    const brand = await database.asEngine(async (tx) => {
      runs += 1
      await insertBrand(tx, name)
      return runs
    })
    assert.equal(commits.lost, 1)
    assert.equal(brand, runs)
    assert.equal(await countBrands(name), 1)
    assert.equal(runs, name.includes('arrives') ? 1 : 2)
  })
}

/** A session that lives on keeps its locks for half a minute, which a test need not wait for. */
for (const [name, fault] of Object.entries(FAULTS).slice(0, 2)) {
  test(`${name}: events and sends are stored once`, async (context) => {
    const { brandId } = await fresh.brand()
    const { database, commits } = await openBehind(context, fault)
    const intake = new EventIntake({ database, clock: { now: Date.now } })
    const { entries } = parseNv([GOOD, GOOD])
    await intake.submit(brandId, { entries, rejected: [], isMerging: false })
    assert.equal(commits.lost, 1)
    const { rows } = await fresh.database.asBrand(brandId, async (tx) =>
      tx.query<{ count: number }>('select count(*)::integer as count from events where brand_id = $1', [
        brandId,
      ]),
    )
    assert.deepEqual(rows, [{ count: 2 }])

    commits.loseNext()
    await acceptNotification(database, { brandId, platform: 'android', target: { kind: 'all' } })
    assert.equal(commits.lost, 2)
    const sends = await fresh.database.query('select from notifications where brand_id = $1', [brandId])
    assert.equal(sends.count, 1)
  })
}

for (const [name, fault] of Object.entries(FAULTS).slice(0, 2)) {
  test(`${name}: a person enters a journey and takes a step once`, async (context) => {
    const { brandId } = await fresh.brand()
    await addEndpoint(fresh.database, brandId, ['journey.entered'])
    await seedSubscriptions(fresh.database, { brandId, userId: 'ann' })
    const ref = await seedJourney(fresh.database, brandId, { trigger: { event: 'signup' }, steps: STEPS })
    const { entries } = parseNv([{ userID: 'ann', event_name: 'signup', attributes: {} }], {
      ...SETTINGS,
      now: Date.now(),
    })
    const intake = new EventIntake({ database: fresh.database, clock: { now: Date.now } })
    await intake.submit(brandId, { entries, rejected: [], isMerging: false })

    const { database, commits } = await openBehind(context, fault)
    const deps = { database, plans: new JourneyPlans(memoryLog()) }
    // Open transactions of other tests on the same server hold the events back for a moment.
    const hear = async (): Promise<boolean> => {
      commits.loseNext()
      return hearEvents(deps, brandId)
    }
    await until(hear, { what: 'the event' })
    commits.loseNext()
    const lost = commits.lost
    assert.equal(await advanceJourney(deps, ref), 1)
    assert.equal(commits.lost, lost + 1)
    assert.deepEqual(await countStates(fresh.database, ref), { active: 1 })
    const sends = await fresh.database.query('select from notifications where brand_id = $1', [brandId])
    assert.equal(sends.count, 1)
    assert.deepEqual(
      (await outboxOf(fresh.database, brandId)).map(({ type }) => type),
      ['journey.entered'],
    )
  })

  test(`${name}: a call of a webhook is counted once`, async (context) => {
    const { brandId } = await fresh.brand()
    const endpointId = await addEndpoint(fresh.database, brandId, ['journey.entered'])
    const now = Date.now()
    const event = { type: 'journey.entered', at: now, profileId: 7n, data: {} } as const
    await fresh.database.asBrand(brandId, async (tx) => enqueueWebhooks(tx, brandId, [event]))
    const claim = { workerId: newId(), calls: 100, leaseMs: 600_000, health: 'well' } as const
    const claimed = await claimWebhooks(fresh.database, claim)
    const { database, commits } = await openBehind(context, fault)
    const fates = claimed
      .filter((message) => message.brandId === brandId)
      .map((message) => ({ message, fate: { state: 'waiting', readyAt: now + 60_000 } as const }))
    const endpoint = { kind: 'failing', pausedUntil: null } as const
    await database.asEngine(async (tx) =>
      settleCall(tx, { brandId, endpointId, fates, endpoint, attempt: { status: 500 }, now }),
    )
    assert.equal(commits.lost, 1)
    const { rows } = await fresh.database.query(
      `select attempt, jsonb_array_length(attempts) as shown from webhook_messages where brand_id = $1`,
      [brandId],
    )
    assert.deepEqual(rows, [{ attempt: 1, shown: 1 }])
  })
}

const STEPS = [
  { id: 'first', send: { to: 'android', title: 'Hello', message: 'World' } },
  { id: 'pause', wait: { days: 1 } },
]

test('a commit that arrives after its outcome was told does not happen', async (context) => {
  const name = 'late'
  const late: { send: () => void } = { send: () => undefined }
  const { database } = await openBehind(context, (bytes, { cutClient, forward }) => {
    late.send = () => forward(bytes)
    cutClient()
  })
  await database.asEngine(async (tx) => insertBrand(tx, name))
  late.send()
  // The old session tries to commit its own row, and waits for nobody: it ends with an error.
  await until(async () => (await countOpen(database)) === 0, { what: 'the end of the old transaction' })
  assert.equal(await countBrands(name), 1)
})

test('a commit that no server can tell about is unknown, and its work is not done again', async (context) => {
  const { database, commits } = await openBehind(context, (bytes, { cutClient, forward }) => {
    forward(bytes)
    cutClient()
    commits.isCut = true
  })
  const { endPatience } = takePatience(context)
  let runs = 0
  const work = database.asEngine(async (tx) => {
    runs += 1
    await insertBrand(tx, 'unknown')
  })
  const ended = assert.rejects(work, isUnknown)
  await until(() => commits.cuts > 1, { what: 'a second look' })
  endPatience()
  await ended
  assert.equal(runs, 1)
  await until(async () => (await countBrands('unknown')) === 1, { what: 'the row of the commit' })
})

test('a look that waits for a standby or for a connection is given up, and its session goes on', async (context) => {
  const [node] = (await startCluster(context, 1)).nodes
  assert.ok(node !== undefined)
  await node.stop()
  await node.start({ synchronous_standby_names: 'missing' })
  const lost = FAULTS['the commit is lost with its connection']
  const { database, commits } = await openBehind(context, lost, { url: node.url, connectionsMax: 1 })
  const looks = async (): Promise<number> => withOwner(node.url, async (db) => (await db.query(LOOKS)).count)
  const { endPatience } = takePatience(context)
  const first = assert.rejects(database.asEngine(insertGivenUp), isUnknown)
  await until(async () => (await looks()) === 1, { what: 'a look that waits for a standby' })
  commits.loseNext()
  // Its look waits for the connection of the first one.
  const second = assert.rejects(database.asQueue(insertGivenUp), isUnknown)
  await until(() => commits.lost === 2, { what: 'a second commit without an answer' })
  endPatience()
  await Promise.all([first, second])
  assert.equal(await looks(), 1)
})

const insertGivenUp = async (tx: Db): Promise<void> => insertBrand(tx, 'given up')

/** A read needs no standby, so it shows the look that waits. */
const LOOKS = `select from pg_stat_activity where wait_event = 'SyncRep' and query like 'insert into commit_marks%'`

/** The time in which a commit is looked up is over when the test says so. */
function takePatience(context: TestContext) {
  const over = new AbortController()
  context.mock.method(AbortSignal, 'timeout', () => over.signal)
  return { endPatience: () => over.abort() }
}

function isUnknown(error: unknown): boolean {
  return error instanceof CommitUnknown && isOutcomeUnknown(error)
}

test('a transaction that only reads leaves no mark', async () => {
  const marks = async (): Promise<unknown> =>
    (await fresh.database.query('select sum(serial)::text as sum from commit_marks')).rows
  const former = await marks()
  await fresh.database.asBrand(1, async (tx) => tx.query('select from segments'))
  assert.deepEqual(await marks(), former)
})

type Fault = (bytes: Buffer, connection: ProxiedConnection) => void

/** A database behind a network that loses the first commit, and one more after each `loseNext`; with `isCut`, everything. */
async function openBehind(context: TestContext, fault: Fault, server: Partial<DatabaseOptions> = {}) {
  const { url: direct, ...options } = { url: fresh.url, connectionsMax: 3, ...server }
  const address = new URL(direct)
  const proxy = await startTcpProxy(context, Number(address.port))
  const commits = {
    lost: 0,
    cuts: 0,
    isNext: true,
    isCut: false,
    loseNext: () => void (commits.isNext = true),
  }
  proxy.watch((bytes, connection) => {
    if (commits.isCut) {
      commits.cuts += 1
      connection.cut()
      return 'drop'
    }
    if (!commits.isNext || !bytes.includes('; commit')) return 'pass'
    commits.isNext = false
    commits.lost += 1
    fault(bytes, connection)
    return 'drop'
  })
  const url = direct.replace(address.host, proxy.address)
  const database = new Database({ ...PATIENT, ...options, url, name: 'lossy', author: 'system' })
  endWith(context, async () => database.close())
  return { database, commits }
}

/** No key forbids a second row, so that a repetition would show. */
async function insertBrand(tx: Db, name: string): Promise<void> {
  await tx.query(
    `insert into brands (external_id, name, created_at) values (gen_random_uuid()::text, $1, now())`,
    [name],
  )
}

async function countBrands(name: string): Promise<number> {
  return (await fresh.database.query('select from brands where name = $1', [name])).count
}

async function countOpen(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from pg_locks
     where locktype = 'transactionid' and pid <> pg_backend_pid() and mode = 'ExclusiveLock'
       and pid in (select pid from pg_stat_activity where datname = current_database())`,
  )
  return rows[0]?.count ?? 0
}
