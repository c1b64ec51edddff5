import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CredentialSender } from '../../src/delivery/channel-sender.ts'
import { Channels } from '../../src/delivery/channels.ts'
import { ChunkCommits } from '../../src/delivery/chunk-commits.ts'
import { runSender } from '../../src/delivery/sender.ts'
import { MEASURE_PAYLOAD } from '../../src/providers/payload-bytes.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { cancelNotification } from '../../src/store/push/cancel.ts'
import { pauseChannel } from '../../src/store/push/channels.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import { freshDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { planDue } from '../support/push/drain.ts'
import { RECEIPTS } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const { database, brand, drop } = await freshDatabase()

/** The credentials of this worker: a brand without one is not in the list. */
const withoutCredential = new Set<number>()
/** By brand: the devices that were sent to. */
const sent = new Map<number, bigint[]>()

function senderFor(brandId: number): CredentialSender {
  return {
    credential: `${brandId}`,
    mainHost: 'https://push.example',
    hasManyHosts: false,
    hostOf: () => 'https://push.example',
    prepare:
      () =>
      ({ id }, _, listener) => {
        sent.set(brandId, [...(sent.get(brandId) ?? []), id])
        listener.onVerdict({ kind: 'accepted' })
      },
  }
}

const end = new AbortController()
const log = memoryLog()
const running = runSender(
  {
    database,
    clock: new DatabaseClock({ load: async () => loadMoment(database) }),
    channels: new Channels({
      db: database,
      open: async ({ brandId }) => (withoutCredential.has(brandId) ? null : senderFor(brandId)),
    }),
    commits: new ChunkCommits(database),
    receipts: RECEIPTS,
    measure: MEASURE_PAYLOAD,
    random: () => 0,
    onVerdict: () => undefined,
  },
  { signal: end.signal, log, meters: loopMeters(new Metrics('test')) },
  'worker',
)
after(async () => {
  end.abort()
  await running
  await drop()
  assert.deepEqual(log.lines, [])
})

type Begun = Awaited<ReturnType<typeof begin>>

/** A brand with a broadcast that is planned as soon as `change` has been made. */
async function begin(change: (brandId: number, id: string) => Promise<unknown>, count = 2) {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, count })
  const seed = { brandId, target: { kind: 'all' }, reachesVirtual: true } as const
  const id = await acceptNotification(database, seed)
  await change(brandId, id)
  await planDue(database)
  return { brandId, id, ids }
}

async function untilOver({ brandId, id }: Begun) {
  const load = async () => report(database, { brandId, id })
  await until(async () => (await load()).finishedAt !== null, { what: 'the end of the notification' })
  return load()
}

test('a broadcast is sent to every device, and a brand without a credential is told why nothing was', async () => {
  const sound = await begin(async () => undefined)
  assert.deepEqual(countsOf(await untilOver(sound)), expectedCounts({ audience: 2, accepted: 2 }))
  assert.deepEqual(sent.get(sound.brandId), sound.ids)
  const bare = await begin(async (brandId) => withoutCredential.add(brandId))
  const { state, reason, ...found } = await untilOver(bare)
  assert.deepEqual([state, reason], ['failed', 'no_credentials'])
  assert.deepEqual(countsOf({ state, reason, ...found }), expectedCounts({ audience: 2, failed: 2 }))
})

/** A worker that is dead by now had claimed the chunks of the brand, for this long. */
async function leaseToDead(brandId: number, minutes: number): Promise<void> {
  await database.query(
    `update chunks set leased_by = 'dead', leased_until = clock_timestamp() + $2 * interval '1 minute'
     where brand_id = $1`,
    [brandId, minutes],
  )
}

test('a chunk of a notification that was cancelled while a worker had it is ended and not sent', async () => {
  // While the channel is paused its chunk waits.
  const pause = { platform: 'android', version: 0, reason: 'refused', pauseMs: 3_600_000 } as const
  const begun = await begin(async (brandId) => pauseChannel(database, { ...pause, brandId }))
  const { brandId, id } = begun
  await until(async () => (await chunkWaits(brandId)) === true, { what: 'a chunk that waits' })
  await leaseToDead(brandId, 60)
  await database.asBrand(brandId, async (tx) => cancelNotification(tx, { brandId, id }))
  assert.equal((await report(database, { brandId, id })).finishedAt, null)
  await database.query('update chunks set ready_at = clock_timestamp() where brand_id = $1', [brandId])
  await leaseToDead(brandId, -1)
  assert.deepEqual(countsOf(await untilOver(begun)), expectedCounts({ audience: 2, cancelled: 2 }))
  assert.equal(sent.get(brandId), undefined)
})

/** Whether the chunk of the brand waits for long; null when it is gone. */
async function chunkWaits(brandId: number): Promise<boolean | null> {
  const { rows } = await database.query<{ isWaiting: boolean }>(
    `select leased_by is null and ready_at > clock_timestamp() + interval '30 minutes' as "isWaiting"
     from chunks where brand_id = $1`,
    [brandId],
  )
  return rows[0]?.isWaiting ?? null
}

/** Makes devices of a brand virtual: `some` says which, in the order of their ids. */
async function makeVirtual(brandId: number, some: string): Promise<void> {
  await database.query(
    `update subscriptions set is_virtual = true, virtual_kind = 'android', virtual_name = 'One' where brand_id = $1
       and id in (select id from subscriptions where brand_id = $1 order by id ${some})`,
    [brandId],
  )
}

test('a chunk of virtual devices is sent though the channel is paused, and any other chunk waits', async () => {
  const pause = { platform: 'android', version: 0, reason: 'refused', pauseMs: 3_600_000 } as const
  const virtual = await begin(async (brandId) => {
    await makeVirtual(brandId, '')
    await pauseChannel(database, { ...pause, brandId })
  })
  assert.deepEqual(countsOf(await untilOver(virtual)), expectedCounts({ audience: 2, accepted: 2 }))
  const mixed = await begin(async (brandId) => {
    await makeVirtual(brandId, 'limit 1')
    await pauseChannel(database, { ...pause, brandId })
  })
  const { brandId } = mixed
  await until(async () => (await chunkWaits(brandId)) !== false, { what: 'a chunk that waits' })
  assert.equal(sent.get(brandId), undefined)
})
