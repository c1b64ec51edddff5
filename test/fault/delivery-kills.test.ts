import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CHUNK_RULES } from '../../src/rules/push.ts'
import { withOwner } from '../../src/store/db.ts'
import { atLength } from '../support/length.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { newDevices } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { findMessageMiscounts } from '../support/series/recounts.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const { engine, workers, close } = await startKillable()
after(close)

const KILLS = atLength(6)
const COUNT = 3_000
/** The messages of one channel that a worker may have handed over and not written down: its send window. */
const UNWRITTEN_MAX = 1_000
const OPEN_MAX = 8
/** More chunks than a worker sends at once, so that some are opened while the others wait. */
const CHUNKS = 6
const CHUNKS_COUNT = CHUNKS * CHUNK_RULES.recipientsMax
const SETTLING = `select from pg_stat_activity where application_name = 'beckon test worker'
  and datname = current_database() and wait_event_type = 'Lock'`
const OPENED = `select from chunks where brand_id = $1 and leased_by is not null`

test('workers killed in the middle of broadcasts lose nobody, and repeat only what was not written down', async () => {
  const { database, sandbox } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: COUNT })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const accept = async (perSecond: number | null) =>
    acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' }, perSecond })

  let running = [await workers.start(), await workers.start()]
  const ids = [await accept(null), await accept(800)]
  for (let kills = 0; kills < KILLS; kills += 1) {
    const arrived = sandbox.inbox.total
    await engine.until(() => sandbox.inbox.total > arrived + 100 || sandbox.inbox.total >= COUNT * ids.length)
    const [victim, ...others] = running
    if (victim !== undefined) await workers.kill(victim)
    running = [...others, await workers.start()]
  }
  for (const id of ids) {
    const found = await engine.untilOver({ brandId, id })
    assert.equal(found.state, 'sent')
    assert.deepEqual(countsOf(found), expectedCounts({ audience: COUNT, accepted: COUNT }))
  }
  const arrivals = sandbox.inbox.newest()
  const identities = new Map(
    arrivals.map(({ address, collapseId }) => [`${address} ${collapseId}`, collapseId]),
  )
  assert.equal(identities.size, COUNT * ids.length, 'each notification reached each device')
  const repeats = sandbox.inbox.total - COUNT * ids.length
  assert.ok(repeats <= KILLS * UNWRITTEN_MAX, `${repeats} repeats`)
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::integer as count from chunks where brand_id = $1',
    [brandId],
  )
  assert.equal(rows[0]?.count, 0)
  assert.deepEqual(await findMessageMiscounts(database, brandId), [])
})

test('a worker whose clock is ten minutes off sends what is due, signs for the right time and expires nothing', async () => {
  const { database, sandbox } = engine
  await workers.killAll()
  sandbox.inbox.clear()
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'android', count: 50 })
  await seedDevices(database, { brandId, platform: 'android', devices })
  for (const behindMs of [600_000, -600_000]) {
    const worker = await workers.start(behindMs)
    // Without its token, the worker has to sign for a new one, and the provider looks at the time. Apple's token stays,
    // because APNs refuses a second one within 20 minutes.
    await database.query(`delete from provider_tokens where name like 'fcm %'`)
    const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
    assert.deepEqual(
      countsOf(await engine.untilOver({ brandId, id })),
      expectedCounts({ audience: 50, accepted: 50 }),
    )
    await workers.kill(worker)
  }
})

test('a worker that cannot write outcomes stops sending, and its kill repeats no more than it had sent', async () => {
  const { database, sandbox } = engine
  await workers.killAll()
  sandbox.inbox.clear()
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: CHUNKS_COUNT })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  await withOwner(engine.url, async (owner) => {
    await owner.query('begin')
    await owner.query('lock table deliveries, accepted_blocks in exclusive mode')
    const worker = await workers.start()
    // A transaction sees what it saw first, so another session looks.
    await withOwner(engine.url, async (watcher) => {
      await engine.until(async () => (await watcher.query(SETTLING)).count > 0)
      await engine.until(async () => (await watcher.query(OPENED, [brandId])).count === CHUNKS)
    })
    await engine.until(() => sandbox.inbox.total >= UNWRITTEN_MAX - OPEN_MAX)
    await workers.kill(worker)
    await owner.query('rollback')
  })
  const { total } = sandbox.inbox
  assert.ok(total <= UNWRITTEN_MAX, `${total} were sent`)
  await database.query('update chunks set leased_until = clock_timestamp() where leased_by is not null')
  await workers.start()
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: CHUNKS_COUNT, accepted: CHUNKS_COUNT }))
  const repeats = sandbox.inbox.total - CHUNKS_COUNT
  assert.ok(repeats <= UNWRITTEN_MAX, `${repeats} repeats`)
})
