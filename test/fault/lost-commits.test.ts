import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { EventIntake } from '../../src/intake/events/intake.ts'
import { Database, type Db } from '../../src/store/db.ts'
import { freshDatabase, PATIENT, type TestDatabase } from '../support/database/database.ts'
import { type ProxiedConnection, startTcpProxy } from '../support/database/tcp-proxy.ts'
import { GOOD, parseNv } from '../support/events/event-body.ts'
import { endWith } from '../support/processes/beckon.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { until } from '../support/until.ts'

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

test('a transaction that only reads leaves no mark', async () => {
  const marks = async (): Promise<unknown> =>
    (await fresh.database.query('select sum(serial)::text as sum from commit_marks')).rows
  const former = await marks()
  await fresh.database.asBrand(1, async (tx) => tx.query('select from segments'))
  assert.deepEqual(await marks(), former)
})

type Fault = (bytes: Buffer, connection: ProxiedConnection) => void

/** A database behind a network that loses the first commit, and one more after each `loseNext`. */
async function openBehind(context: TestContext, fault: Fault) {
  const address = new URL(fresh.url)
  const proxy = await startTcpProxy(context, Number(address.port))
  const commits = { lost: 0, isNext: true, loseNext: () => void (commits.isNext = true) }
  proxy.watch((bytes, connection) => {
    if (!commits.isNext || !bytes.includes('; commit')) return 'pass'
    commits.isNext = false
    commits.lost += 1
    fault(bytes, connection)
    return 'drop'
  })
  const url = fresh.url.replace(address.host, proxy.address)
  const database = new Database({ ...PATIENT, url, connectionsMax: 3, name: 'lossy', author: 'system' })
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
