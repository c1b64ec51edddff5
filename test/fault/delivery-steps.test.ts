import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { planBroadcast } from '../../src/delivery/planner.ts'
import { withOwner } from '../../src/store/db.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { newDevices } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const { engine, workers, close } = await startKillable()
after(close)
afterEach(async () => {
  await workers.killAll()
  engine.sandbox.servers.apns.release()
  engine.sandbox.apns.faults.clear()
  engine.sandbox.inbox.clear()
})

/** As many as a provider gets before its first answer. */
const COUNT = 32
/** Long enough that a busy machine sees all of the first answers, and kills the worker, before the retries are due. */
const RETRY_SECONDS = 10
const SETTLE_TRIES = 5
/** The statement that settles: PostgreSQL shows the first 1024 bytes of it. */
const SETTLE = '%(brand_id, id, claims, texts_cut, outcomes, last, last_block, place)%'

test('a planner killed while it cuts has cut nothing, and another cuts it once', async () => {
  const { brandId, id } = await accept()
  await stopAt('lock table chunks in exclusive mode', 'with recursive stepped%')
  assert.equal(await chunksOf(brandId), 0)
  await assertComplete({ brandId, id }, { repeatsMax: 0 })
})

test('a worker killed when it has claimed a chunk and not yet opened it has sent nothing', async () => {
  const { brandId, id } = await accept({ isPlanned: true })
  await stopAt('lock table subscriptions in access exclusive mode', '%from subscriptions%')
  assert.deepEqual(
    countsOf(await report(engine.database, { brandId, id })),
    expectedCounts({ audience: COUNT, pending: COUNT }),
  )
  await assertComplete({ brandId, id }, { repeatsMax: 0 })
})

test('a worker killed while it sends repeats what was answered and not written, and no more', async () => {
  const { brandId, id } = await accept({ isPlanned: true })
  const { apns } = engine.sandbox.servers
  apns.queueCalls()
  const worker = await workers.start()
  await engine.until(() => apns.queuedCount === COUNT)
  apns.release(COUNT / 2)
  await engine.until(async () => (await report(engine.database, { brandId, id })).accepted === COUNT / 2)
  apns.release(COUNT / 4)
  await workers.kill(worker)
  await assertComplete({ brandId, id }, { repeatsMax: COUNT / 4 })
})

test('a settle that was begun is written though its worker is killed, and nothing of it is repeated', async () => {
  const { brandId, id } = await accept({ isPlanned: true })
  let accepted = 0
  // On a slow machine some answers come after the settle has begun. If all of them do, the settle only asks for a cancel and writes nothing.
  for (let triesLeft = SETTLE_TRIES; accepted === 0; triesLeft -= 1) {
    assert.ok(triesLeft > 0, 'no settle was written')
    engine.sandbox.inbox.clear()
    await freeLeases()
    await stopAt('lock table deliveries in exclusive mode', SETTLE)
    accepted = (await report(engine.database, { brandId, id })).accepted
  }
  await assertComplete({ brandId, id }, { repeatsMax: COUNT - accepted })
})

test('a settle that dies with its worker has written nothing, and all of it is repeated under its identity', async () => {
  const { brandId, id } = await accept({ isPlanned: true })
  await stopAt('lock table deliveries in exclusive mode', SETTLE, {
    isStatementLost: true,
  })
  assert.equal((await report(engine.database, { brandId, id })).accepted, 0)
  await assertComplete({ brandId, id }, { repeatsMax: COUNT })
})

test('a worker killed after its settle, before it retired a dead device, leaves that to the next message', async () => {
  const { brandId, id, addresses } = await accept({ isPlanned: true })
  engine.sandbox.apns.setDevice(addresses[0] ?? '', { kind: 'unregistered', since: Date.now() + 60_000 })
  await stopAt('lock table subscriptions in exclusive mode', 'with locked as materialized%', {
    isStatementLost: true,
  })
  // On a slow machine some answers come after that settle has begun; another worker sees to those.
  await startAnother()
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: COUNT, accepted: COUNT - 1, failed: 1 }))
  const next = await accept({ brandId })
  assert.equal((await engine.untilOver(next)).failed, 1)
  const gone = `select from subscriptions where brand_id = $1 and state = 'gone'`
  await engine.until(async () => (await engine.database.query(gone, [brandId])).rows.length === 1)
})

test('a worker killed when a retry waits leaves the retry to another, who keeps to its time', async () => {
  const { brandId, id } = await accept({ isPlanned: true })
  const headers = { 'retry-after': String(RETRY_SECONDS) }
  const { faults } = engine.sandbox.apns
  faults.add('*', { kind: 'answer', status: 503, headers }, COUNT / 2)
  const startedAt = Date.now()
  const worker = await workers.start()
  await engine.until(async () => (await retryingOf(brandId)) === COUNT / 2)
  await engine.until(async () => (await report(engine.database, { brandId, id })).accepted === COUNT / 2)
  await workers.kill(worker)
  await assertComplete({ brandId, id }, { repeatsMax: 0 })
  const early = engine.sandbox.inbox
    .newest()
    .filter(({ arrivedAt }) => arrivedAt < startedAt + RETRY_SECONDS * 1_000)
  assert.ok(early.length <= COUNT / 2, `${early.length} came before the provider wanted them`)
})

test('a worker killed while it gives a chunk back for later lets its lease do it', async () => {
  const { brandId, id } = await accept({ isPlanned: true })
  const { faults } = engine.sandbox.apns
  faults.add('*', { kind: 'answer', status: 403, body: '{"reason":"InvalidProviderToken"}' }, COUNT)
  await stopAt('lock table channels in exclusive mode', 'insert into channels%', { isStatementLost: true })
  faults.clear()
  await assertComplete({ brandId, id }, { repeatsMax: 0 })
})

type Accepted = {
  readonly brandId: number
  readonly id: string
  readonly addresses: readonly string[]
}

/** A broadcast to a few devices; planned here and now, or left to the worker. */
async function accept(
  given: { readonly isPlanned?: boolean; readonly brandId?: number } = {},
): Promise<Accepted> {
  const { database } = engine
  const brandId = given.brandId ?? (await engine.brand()).brandId
  const devices = given.brandId === undefined ? newDevices(engine, { platform: 'ios', count: COUNT }) : []
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  if (given.isPlanned === true) {
    for (const claim of await claimPlans(database, { count: 1, leaseMs: 60_000 }))
      await planBroadcast(database, claim)
  }
  return { brandId, id, addresses: devices.map(({ address }) => address) }
}

/**
 * Lets a worker run until one of its statements waits for our lock, kills it there, and takes the lock away. The
 * server goes on with a statement whose worker is dead, unless it is told to drop that, too.
 */
async function stopAt(
  lock: string,
  statement: string,
  { isStatementLost = false }: { readonly isStatementLost?: boolean } = {},
): Promise<void> {
  await withOwner(engine.url, async (watcher) => {
    await withOwner(engine.url, async (owner) => {
      await owner.query('begin')
      await owner.query(lock)
      const worker = await workers.start()
      // From outside of the transaction, which would see what it saw first again and again.
      await engine.until(async () => (await watcher.query(WAITING, [statement])).rows.length > 0)
      await workers.kill(worker)
      if (isStatementLost) await watcher.query(DROP_ALL)
      await owner.query('commit')
    })
    await engine.until(async () => (await watcher.query(OF_WORKERS)).rows.length === 0)
  })
}

const OF_WORKERS = `select from pg_stat_activity where application_name = 'beckon test worker'
  and datname = current_database()`
const WAITING = `${OF_WORKERS} and wait_event_type = 'Lock' and ltrim(query) like $1`
const DROP_ALL = OF_WORKERS.replace('select', 'select pg_terminate_backend(pid)')

/** A worker that takes up what the dead one had, as it would when the leases of that have run out. */
async function startAnother(): Promise<void> {
  await freeLeases()
  await engine.database.query(
    'update notifications set plan_at = clock_timestamp() where plan_at is not null',
  )
  await workers.start()
}

async function freeLeases(): Promise<void> {
  await engine.database.query(
    'update chunks set leased_until = clock_timestamp() where leased_by is not null',
  )
}

/** Another worker finishes it. */
async function assertComplete(
  { brandId, id }: { readonly brandId: number; readonly id: string },
  { repeatsMax }: { readonly repeatsMax: number },
): Promise<void> {
  const { sandbox } = engine
  await startAnother()
  sandbox.servers.apns.release()
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(
    { state: found.state, ...countsOf(found) },
    { state: 'sent', ...expectedCounts({ audience: COUNT, accepted: COUNT }) },
  )
  const arrivals = sandbox.inbox.newest()
  const identities = new Set(arrivals.map(({ address, collapseId }) => `${address} ${collapseId}`))
  assert.equal(identities.size, COUNT)
  assert.ok(arrivals.length - COUNT <= repeatsMax, `${arrivals.length - COUNT} repeats`)
  assert.equal(await chunksOf(brandId), 0)
}

async function chunksOf(brandId: number): Promise<number> {
  const { rows } = await engine.database.query('select from chunks where brand_id = $1', [brandId])
  return rows.length
}

async function retryingOf(brandId: number): Promise<number> {
  const { rows } = await engine.database.query(
    `select from deliveries where brand_id = $1 and state = 'retrying'`,
    [brandId],
  )
  return rows.length
}
