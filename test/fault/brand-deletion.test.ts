import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { deleteBrand, restoreBrand, stopBrand } from '../../src/store/brand/deletion.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { emptyDatabase, PATIENT } from '../support/database/database.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { childrenOf, endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'
import { newDevices, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { untilLookedAt } from '../support/push/sending-hold.ts'
import { seedDevices, seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const
const PEOPLE = 40_000

let engine: TestEngine

before(async () => {
  engine = await startEngine()
})
after(async () => engine.close())

test('a brand deleted in the middle of a broadcast sends no more, while another sends on', async () => {
  const { database, sandbox } = engine
  engine.startWorker()
  engine.startWorker()
  const [mine, other] = [await engine.brand(), await engine.brand()]
  const send = async ({ brandId }: { readonly brandId: number }, count: number) => {
    const devices = newDevices(engine, { platform: 'ios', count })
    await seedDevices(database, { brandId, platform: 'ios', devices })
    const target = { kind: 'all' } as const
    await acceptNotification(database, { brandId, platform: 'ios', target, perSecond: 40 })
    return new Set(devices.map(({ address }) => address))
  }
  const mineAre = await send(mine, 1_000)
  const mineArrived = () => sandbox.inbox.newest().filter(({ address }) => mineAre.has(address)).length
  await until(() => mineArrived() > 0, { what: 'the first' })

  await deleteBrand(database, mine.externalId)
  const count = 20
  const otherAre = await send(other, count)
  // A worker finds its claim lost at its next settlement. One that never does sends all of them.
  const isStill = async () => {
    const earlier = mineArrived()
    await untilLookedAt(database)
    return mineArrived() === earlier
  }
  await until(isStill, { what: 'the workers to let go' })
  assert.ok(mineArrived() < mineAre.size / 2, `${mineArrived()} before the deletion was noticed`)
  const othersArrived = () => sandbox.inbox.newest().filter(({ address }) => otherAre.has(address)).length
  await until(() => othersArrived() === count, { what: 'the other brand' })
})

test('a running broadcast of a brand that is stopped stands still, and goes on after a restore: each device once', async () => {
  const { database, sandbox } = engine
  engine.startWorker()
  const { brandId, externalId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: 400 })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const id = await acceptNotification(database, {
    brandId,
    platform: 'ios',
    target: { kind: 'all' },
    perSecond: 40,
  })
  const mine = new Set(devices.map(({ address }) => address))
  const arrived = () => sandbox.inbox.newest().filter(({ address }) => mine.has(address)).length
  await until(() => arrived() > 0, { what: 'the first' })

  const now = Date.now()
  await stopBrand(database, { externalId, now, until: now + 3_600_000 })
  await until(async () => (await countLeased(database, brandId)) === 0, { what: 'the workers to let go' })
  const left = arrived()
  await untilLookedAt(database)
  assert.equal(arrived(), left)
  assert.ok(left < mine.size, `${left} before the stop`)
  assert.equal(await restoreBrand(database, { externalId, now }), true)
  const { accepted } = await engine.untilOver({ brandId, id })
  assert.deepEqual([accepted, arrived()], [mine.size, mine.size])
})

async function countLeased(db: Db, brandId: number): Promise<number> {
  return (await db.query('select from chunks where brand_id = $1 and leased_by is not null', [brandId])).count
}

/** A Beckon with a brand of many rows, on a database of the tests' server. */
async function startLarge(context: TestContext) {
  const { url: databaseUrl, drop } = await emptyDatabase()
  const folder = await freshFolder(context)
  endWith(context, drop)
  const environment = { DATABASE_URL: databaseUrl, BECKON_DATA_DIR: folder }
  const first = { BECKON_BRAND_ID: BRAND['x-brand-id'], BECKON_API_KEY: BRAND['x-api-key'] }
  const beckon = await startBeckon(context, { ...environment, ...first })
  const database = new Database({ ...PATIENT, url: databaseUrl, connectionsMax: 3, name: 'beckon test' })
  endWith(context, async () => database.close())
  const { rows } = await database.query<{ id: number }>('select id from brands')
  const brandId = rows[0]?.id ?? 0
  await database.query(
    `insert into profiles (brand_id, created_at, updated_at) select $1, now(), now() from generate_series(1, $2)`,
    [brandId, PEOPLE],
  )
  await seedSubscriptions(database, { brandId, count: PEOPLE })
  return { beckon, database, databaseUrl, environment, brandId }
}

/** Holds a row in the middle, so that whoever clears the brand away stops there until `release`. */
async function holdMiddle(databaseUrl: string, brandId: number): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const session = withOwner(databaseUrl, async (owner) => {
    await owner.query('begin')
    await owner.query(
      `select from subscriptions where brand_id = $1 and id =
         (select id from subscriptions where brand_id = $1 order by id offset $2 limit 1) for update`,
      [brandId, PEOPLE / 2],
    )
    held.resolve()
    await released.promise
    await owner.query('commit')
  })
  await held.promise
  return async () => {
    released.resolve()
    await session
  }
}

async function isStopped(databaseUrl: string): Promise<boolean> {
  return withOwner(databaseUrl, async (owner) => {
    const { count } = await owner.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like 'delete from subscriptions%'`,
    )
    return count > 0
  })
}

async function countLeft(db: Db, brandId: number): Promise<number> {
  const { rows } = await db.query<{ left: number }>(
    `select ((select count(*) from profiles where brand_id = $1)
       + (select count(*) from subscriptions where brand_id = $1))::integer as left`,
    [brandId],
  )
  return rows[0]?.left ?? 0
}

async function statusAt(url: string): Promise<number> {
  return (await askBeckon(`${url}/api/v1/brand`, { headers: BRAND })).status
}

test('beckon brand delete wants the id, refuses the keys at once, and clears away through kills', async (context) => {
  const { beckon, database, databaseUrl, environment, brandId } = await startLarge(context)
  assert.equal(await statusAt(beckon.url), 200)
  const unsure = await runBeckon(['brand', 'delete', 'acme'], environment)
  assert.deepEqual([unsure.code, unsure.stdout], [1, ''])
  assert.match(unsure.stderr, /--confirm acme/)
  const mistaken = await runBeckon(['brand', 'delete', 'acme', '--confirm', 'acne'], environment)
  assert.equal(mistaken.code, 1)
  assert.match(mistaken.stderr, /nothing was deleted/)
  assert.equal((await runBeckon(['brand', 'delete', 'ghost', '--confirm', 'ghost'], environment)).code, 1)
  assert.equal(await statusAt(beckon.url), 200)
  assert.equal(await countLeft(database, brandId), 2 * PEOPLE)

  const release = await holdMiddle(databaseUrl, brandId)
  const deleted = await runBeckon(['brand', 'delete', 'acme', '--confirm', 'acme'], environment)
  assert.equal(deleted.code, 0, deleted.stderr)
  assert.equal(await statusAt(beckon.url), 401)
  const listed = await runBeckon(['brand', 'list'], environment)
  assert.match(listed.stdout, new RegExp(`^deleted:${brandId} +acme .* 20.*Z +20.*Z$`, 'm'))

  await until(async () => isStopped(databaseUrl), { what: 'the purge' })
  const workers = (await childrenOf(beckon.pid)).filter(({ command }) => command.includes('worker'))
  for (const { pid } of workers) process.kill(pid, 'SIGKILL')
  beckon.send('SIGKILL')
  await beckon.ended
  const left = await countLeft(database, brandId)
  const created = await runBeckon(['brand', 'create', 'acme'], environment)
  assert.match(created.stdout, /^Brand acme is made/)
  await release()
  await startBeckon(context, environment)
  await until(async () => (await countLeft(database, brandId)) === 0, { what: 'the rest' })
  assert.ok(left > PEOPLE && left < 2 * PEOPLE, `it was killed half-way, with ${left} rows left`)
})
