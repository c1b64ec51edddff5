import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ReadySender } from '../../../src/delivery/channel-sender.ts'
import { Channels } from '../../../src/delivery/channels.ts'
import { ChunkCommits } from '../../../src/delivery/chunk-commits.ts'
import type { ChunkJob } from '../../../src/delivery/chunk-job.ts'
import { ChunkRun } from '../../../src/delivery/chunk-run.ts'
import { UNBOUND } from '../../../src/delivery/pace.ts'
import { ChannelWindows, type WindowBounds } from '../../../src/delivery/send-windows.ts'
import type { Verdict } from '../../../src/domain/push/verdict.ts'
import type { VerdictListener } from '../../../src/providers/channel.ts'
import { MEASURE_PAYLOAD } from '../../../src/providers/payload-bytes.ts'
import { DatabaseClock } from '../../../src/runtime/database-clock.ts'
import { LoopTurns } from '../../../src/runtime/limits/loop-turns.ts'
import { cancelNotification } from '../../../src/store/push/cancel.ts'
import { claimChunks } from '../../../src/store/push/chunks.ts'
import type { Recipient } from '../../../src/store/push/recipient.ts'
import type { TestDatabase } from '../database/database.ts'
import { settled } from '../fake-time.ts'
import { seedSubscriptions } from '../subscriptions/subscriptions.ts'
import { until } from '../until.ts'
import { open, planDue } from './drain.ts'
import { RECEIPTS } from './engine.ts'
import { acceptNotification, countsOf, type NotificationSeed, report } from './notifications.ts'

export const HOST = 'https://push.example'

export type RunOptions = Partial<Pick<ChunkJob, 'pace'>> &
  Partial<WindowBounds> &
  Partial<Pick<NotificationSeed, 'content'>> & {
    /** The devices of the broadcast. */
    readonly count?: number
    readonly mainHost?: string | null
    readonly hasManyHosts?: boolean
    /** The push host of the device at this place. */
    readonly hostAt?: (place: number) => string
    /** Changes the device at this place after it was read. */
    readonly change?: (recipient: Recipient, place: number) => Recipient
    /** Called when a message is sent, with the place of its device. */
    readonly onSend?: (place: number, listener: VerdictListener) => void
  }

/** Counts the settlements. */
class CountingCommits extends ChunkCommits {
  settlements = 0

  override async settle(...given: Parameters<ChunkCommits['settle']>) {
    const state = await super.settle(...given)
    this.settlements += 1
    return state
  }
}

/** The run of a claimed chunk with a broadcast to some devices, whose provider answers when the test says so. */
export async function openRun({ database, brand }: TestDatabase, options: RunOptions = {}) {
  const { count = 3, pace = UNBOUND, windowMax = 1_000, unsettledMax = 1_000, content } = options
  const { mainHost = HOST, hasManyHosts = false, hostAt = () => HOST, change = (one) => one } = options
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count })
  const seed = { brandId, target: { kind: 'all' }, ...(content === undefined ? {} : { content }) } as const
  const id = await acceptNotification(database, seed)
  await planDue(database)
  // Earlier runs of the database may have left chunks behind.
  const all = await claimChunks(database, { workerId: 'test', count: 100, leaseMs: 600_000, sizes: 'any' })
  const claimed = all.find((one) => one.brandId === brandId)
  assert.ok(claimed !== undefined)
  const opened = await open(database, claimed)
  assert.ok(opened !== null)
  const chunk = { ...opened, recipients: opened.recipients.map(change) }
  const places = new Map(chunk.recipients.map((recipient, place) => [recipient.id, place]))
  const placeOf = ({ id: own }: Recipient): number => places.get(own) ?? -1
  /** The places of the devices that were sent to, in order. */
  const sent: number[] = []
  const receipts = new Set<string>()
  const listeners = new Map<number, VerdictListener>()
  const sender: ReadySender = {
    kind: 'ready',
    credential: `credential of ${brandId}`,
    version: 0,
    state: 'working',
    isFailing: false,
    refusedHosts: new Set<string>(),
    mainHost,
    hasManyHosts,
    hostOf: (recipient) => hostAt(placeOf(recipient)),
    prepare: () => (recipient, ids, listener) => {
      const place = placeOf(recipient)
      sent.push(place)
      receipts.add(ids.receipt)
      listeners.set(place, listener)
      options.onSend?.(place, listener)
    },
  }
  const time = { now: Date.now() }
  const clock = new DatabaseClock({ load: async () => time.now, elapsed: () => time.now })
  // Before its first look a clock goes by the machine's.
  await clock.sync()
  const commits = new CountingCommits(database)
  const deps = {
    database,
    clock,
    channels: new Channels({ db: database, open: async () => sender }),
    commits,
    receipts: RECEIPTS,
    measure: MEASURE_PAYLOAD,
    random: () => 0,
    onVerdict: () => undefined,
  }
  const windows = new ChannelWindows({ windowMax, unsettledMax })
  const rests: (() => boolean)[] = []
  const use = {
    send: () => undefined,
    sendPaced: () => undefined,
    rest: (isResting: () => boolean) => {
      rests.push(isResting)
    },
  }
  const run = new ChunkRun(deps, { claimed, chunk, sender, pace, windows, turns: new LoopTurns(), use })
  const answer = (place: number, verdict: Verdict = { kind: 'accepted' }): void => {
    const listener = listeners.get(place)
    assert.ok(listener !== undefined, `nothing was sent to device ${place}`)
    listener.onVerdict(verdict)
  }
  return {
    run,
    /** The clock by which messages expire. */
    time,
    expiresAt: claimed.expiresAt,
    isBulk: claimed.isBulk,
    commits,
    windows,
    rests,
    sent,
    receipts,
    answer,
    counts: async () => countsOf(await report(database, { brandId, id })),
    cancel: async () => database.asBrand(brandId, async (tx) => cancelNotification(tx, { brandId, id })),
    /** The seconds until a chunk of the notification may be claimed, soonest first; none of those that are held. */
    waits: async () => {
      const { rows } = await database.query<{ seconds: number }>(
        `select extract(epoch from ready_at - clock_timestamp())::float8 as seconds
         from chunks where brand_id = $1 and leased_by is null order by ready_at`,
        [brandId],
      )
      return rows.map(({ seconds }) => seconds)
    },
  }
}

export const ACCEPTED = { kind: 'accepted' } as const
export const NEVER = new AbortController().signal

/** A run whose provider gives each device this answer at once. */
export async function runAnswered(
  fresh: TestDatabase,
  answers: (place: number) => Verdict,
  options: RunOptions = {},
) {
  const opened = await openRun(fresh, {
    onSend: (place, listener) => listener.onVerdict(answers(place)),
    ...options,
  })
  await opened.run.run(NEVER)
  await opened.run.finish()
  return opened
}

/** Waits until so many messages are sent, and no more can be. */
export async function untilSent(sent: readonly number[], count: number): Promise<void> {
  await until(() => sent.length >= count, { what: `${count} messages` })
  await settled()
}

/** Time that stands still until the test moves it. */
export function stopTime(context: TestContext): { now: number } {
  const time = { now: Math.ceil(performance.now()) }
  context.mock.method(performance, 'now', () => time.now)
  return time
}

/** A wait that was set a moment ago. */
export function near(seconds: number | undefined, wanted: number): void {
  const spread = Math.max(1, wanted / 2)
  assert.ok(seconds !== undefined && Math.abs(seconds - wanted) < spread, `${seconds} seconds`)
}
