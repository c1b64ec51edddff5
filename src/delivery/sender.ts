import { unreachable } from '../domain/unreachable.ts'
import { LoopTurns } from '../runtime/limits/loop-turns.ts'
import type { Loop, LoopContext } from '../runtime/loop/loop.ts'
import { runLoop } from '../runtime/loop/run.ts'
import { Wake } from '../runtime/loop/wake.ts'
import {
  type ChunkClaim,
  type ClaimedChunk,
  claimChunks,
  releaseChunks,
  renewChunks,
} from '../store/push/chunks.ts'
import type { OpenChunk } from '../store/push/open-chunks.ts'
import { QueueStatistics } from '../store/push/queue-statistics.ts'
import { takeThrottleShare } from '../store/push/throttle.ts'
import type { ChannelSender } from './channel-sender.ts'
import { type ChannelBounds, ChannelSlots, type SlotUse } from './channel-slots.ts'
import { LEASE_MS, type SendDeps } from './chunk-job.ts'
import { ChunkRun } from './chunk-run.ts'
import { type Pace, paceOf, UNBOUND } from './pace.ts'
import { SendWindows } from './send-windows.ts'

/**
 * Sends the chunks that are ready, in two lanes. One takes the chunks of broadcasts, the other small ones, so that a
 * single send is handed over at once while broadcasts fill the first lane. In each lane a channel has a share of the
 * slots, and a window for each of its push hosts, so that a provider that does not answer stops its own channel alone.
 */
export async function runSender(deps: SendDeps, context: LoopContext, workerId: string): Promise<void> {
  const turns = new LoopTurns()
  await Promise.all(
    LANES.map(async (lane) => {
      // Room in one lane is no reason for the other lane to look for chunks.
      const wake = context.wakes?.get(WAKE)?.branch() ?? new Wake()
      const slots = new ChannelSlots(lane.channel, () => wake.nudge())
      const windows = new SendWindows(lane)
      const loop = sendLoop(deps, workerId, { ...lane, slots, turns, windows, wake })
      return runLoop(loop, { ...context, wakes: new Map([[WAKE, wake]]) })
    }),
  )
}

/**
 * Small chunks need no bound of all their messages: each sends few. Of a channel's large ones a thousand messages may be
 * unsettled, and each of its open chunks may have counted one more while it waited for a window.
 */
const LANES = [
  {
    name: 'send-small',
    sizes: 'small',
    concurrency: 1_000,
    channel: { slotsMax: 400, openMax: 500, probeMax: 32 },
    windowMax: 500,
    unsettledMax: Number.POSITIVE_INFINITY,
  },
  {
    name: 'send',
    sizes: 'bulk',
    concurrency: 8,
    channel: { slotsMax: 4, openMax: 8, probeMax: 1 },
    windowMax: 1_000,
    unsettledMax: 992,
  },
] as const

const WAKE = 'send'

/** New chunks are announced; this polling finds chunks that become due by themselves, such as retries. */
const IDLE = { minMs: 20, maxMs: 200 }

type Lane = {
  readonly name: string
  readonly sizes: ChunkClaim['sizes']
  readonly concurrency: number
  readonly channel: ChannelBounds
  readonly slots: ChannelSlots
  readonly windows: SendWindows
  readonly turns: LoopTurns
  readonly wake: Wake
}

function sendLoop(deps: SendDeps, workerId: string, lane: Lane): Loop<ClaimedChunk, ChunkRun | null> {
  const { database, clock } = deps
  const { name, sizes, concurrency, channel, slots, windows, turns, wake } = lane
  const claim = { workerId, leaseMs: LEASE_MS, sizes, perChannel: channel.slotsMax }
  const statistics = new QueueStatistics()
  let takenAllAt: number | null = null
  return {
    name,
    claim: async (count) => {
      const isTakenAll = takenAllAt === wake.count
      takenAllAt = null
      if (isTakenAll) return []
      const seen = wake.count
      await clock.sync()
      const asked = { ...claim, count, leaseNow: clock.now(), rooms: slots.rooms() }
      const chunks = await claimChunks(database, asked)
      // Chunks that were claimed are sent whatever comes of the statistics.
      await statistics.keep(database, chunks.length).catch(() => undefined)
      // The loop claims again at once. A claim that got fewer chunks than it asked for took all that there was room for.
      if (chunks.length > 0 && chunks.length < count) takenAllAt = seen
      return chunks
    },
    // The loop starts the work on a claimed chunk before it claims again, so that `rooms` has counted the chunk by then.
    work: async (claimed, signal, slot) =>
      slots.run(claimed, slot, async (use) => workChunk(deps, { claimed, windows, turns, signal, use })),
    settle: async (_, run) => run?.finish(),
    lease: {
      ms: LEASE_MS,
      idOf: ({ id }) => id,
      renew: async (chunks) => renewChunks(database, chunks, { leaseMs: LEASE_MS }),
      release: async (chunks) => releaseChunks(database, chunks),
    },
    concurrency,
    waitedMs: ({ waitedMs }) => waitedMs,
    awayMax: AWAY_MAX,
    idle: IDLE,
    wakeOn: WAKE,
  }
}

/** How many chunks of all channels wait outside of their slots, for their pace or for answers. */
const AWAY_MAX = 5_000

type Work = {
  readonly claimed: ClaimedChunk
  readonly windows: SendWindows
  readonly turns: LoopTurns
  readonly signal: AbortSignal
  readonly use: SlotUse
}

/** Opens a claimed chunk and hands it over, if its channel may send. Null when nothing is left to settle. */
async function workChunk(deps: SendDeps, work: Work): Promise<ChunkRun | null> {
  const { claimed, windows, turns, signal, use } = work
  const { commits } = deps
  const chunk = await commits.open(claimed)
  if (chunk === null) return null
  if (chunk.isCancelled) {
    await commits.end(claimed, claimed, { state: 'cancelled', reason: 'cancelled' })
    return null
  }
  if (chunk.recipients.length === 0) return null

  const sender = await findSender(deps, claimed, chunk)
  switch (sender.kind) {
    case 'no_credential':
      await commits.end(claimed, claimed, { state: 'failed', reason: 'no_credentials' })
      return null
    case 'paused':
      await commits.postponePaused(claimed, claimed)
      return null
    case 'ready': {
      const pace = await takePace(deps, claimed, chunk)
      const own = windows.of(sender.credential)
      const window = sender.mainHost === null ? null : own.of(sender.mainHost)
      const way = { window, unsettled: own.unsettled }
      if (pace === UNBOUND) use.send(way)
      else use.sendPaced(way)
      const run = new ChunkRun(deps, { claimed, chunk, sender, pace, windows: own, turns, use })
      await run.run(signal)
      return run
    }
    default:
      return unreachable(sender)
  }
}

/** A pause of the brand's own credential does not hold up a chunk of virtual devices, which the sandbox takes. */
async function findSender(
  { channels }: SendDeps,
  { brandId }: ClaimedChunk,
  { platform, recipients }: OpenChunk,
): Promise<ChannelSender> {
  const ref = { brandId, platform }
  const sender = await channels.find(ref)
  const isVirtual = recipients.every((recipient) => recipient.isVirtual)
  return sender.kind === 'paused' && isVirtual ? channels.open(ref) : sender
}

/** The workers take turns at the shares of time in which a throttled notification is handed over. */
async function takePace({ database }: SendDeps, claimed: ClaimedChunk, chunk: OpenChunk): Promise<Pace> {
  const { perSecond, recipients } = chunk
  if (perSecond === null) return UNBOUND
  const { brandId, notificationId: id } = claimed
  const share = await takeThrottleShare(database, { brandId, id, wanted: recipients.length, ...SHARE })
  return paceOf(share, perSecond)
}

/** The stretch is the gap that a dead worker leaves; `behindMs` is how much of a delay is made up for. */
export const SHARE = { stretchMs: 2_000, aheadMs: 1_000, behindMs: 500 } as const
