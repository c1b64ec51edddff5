import { unreachable } from '../domain/unreachable.ts'
import type { Loop, LoopContext, LoopSlot } from '../runtime/loop/loop.ts'
import { runLoop } from '../runtime/loop/run.ts'
import {
  type ChunkClaim,
  type ClaimedChunk,
  claimChunks,
  releaseChunks,
  renewChunks,
} from '../store/push/chunks.ts'
import { endChunk, failChunk } from '../store/push/end-chunks.ts'
import { type OpenChunk, openChunk } from '../store/push/open-chunk.ts'
import { postponePaused } from '../store/push/postpone.ts'
import { takeThrottleShare } from '../store/push/throttle.ts'
import { LEASE_MS, type SendDeps } from './chunk-job.ts'
import { ChunkRun } from './chunk-run.ts'
import { type Pace, paceOf, UNBOUND } from './pace.ts'
import { SendWindow } from './send-window.ts'

/**
 * Sends the chunks that are ready, in two lanes. One takes chunks of every size, the other only small ones, so that a
 * single send is handed over at once while broadcasts fill the first lane.
 */
export async function runSender(deps: SendDeps, context: LoopContext, workerId: string): Promise<void> {
  await Promise.all(
    LANES.map(async (lane) => {
      const loop = sendLoop(deps, workerId, { ...lane, window: new SendWindow(lane.inFlightMax) })
      return runLoop(loop, context)
    }),
  )
}

const LANES = [
  { name: 'send-small', sizes: 'small', concurrency: 32, inFlightMax: 500 },
  { name: 'send', sizes: 'any', concurrency: 4, inFlightMax: 1_000 },
] as const

/** New chunks are announced; this polling finds chunks that become due by themselves, such as retries. */
const IDLE = { minMs: 20, maxMs: 200 }

type Lane = {
  readonly name: string
  readonly sizes: ChunkClaim['sizes']
  readonly concurrency: number
  readonly window: SendWindow
}

function sendLoop(deps: SendDeps, workerId: string, lane: Lane): Loop<ClaimedChunk, ChunkRun | null> {
  const { database } = deps
  const { name, sizes, concurrency, window } = lane
  return {
    name,
    claim: async (count) => claimChunks(database, { workerId, count, leaseMs: LEASE_MS, sizes }),
    work: async (claimed, signal, slot) => workChunk(deps, { claimed, window, signal, slot }),
    settle: async (_, run) => run?.finish(),
    lease: {
      ms: LEASE_MS,
      idOf: ({ id }) => id,
      renew: async (chunks) => renewChunks(database, chunks, { leaseMs: LEASE_MS }),
      release: async (chunks) => releaseChunks(database, chunks),
    },
    concurrency,
    awayMax: THROTTLED_MAX,
    idle: IDLE,
    wakeOn: 'send',
  }
}

/** How many throttled chunks a lane has open beside the others: a throttled chunk waits most of its time. */
const THROTTLED_MAX = 100

type Work = {
  readonly claimed: ClaimedChunk
  readonly window: SendWindow
  readonly signal: AbortSignal
  readonly slot: LoopSlot
}

/** Opens a claimed chunk and hands it over, if its channel may send. Null when nothing is left to settle. */
async function workChunk(deps: SendDeps, work: Work): Promise<ChunkRun | null> {
  const { claimed, window, signal, slot } = work
  const { database, channels, clock } = deps
  await clock.sync()
  const chunk = await database.asEngine(async (tx) => openChunk(tx, claimed))
  if (chunk === null) return null
  if (chunk.isCancelled) {
    await endChunk(database, claimed, { state: 'cancelled', reason: 'cancelled' })
    return null
  }
  if (chunk.recipients.length === 0) return null

  const sender = await channels.find({ brandId: claimed.brandId, platform: chunk.platform })
  switch (sender.kind) {
    case 'no_credential':
      await failChunk(database, claimed, 'no_credentials')
      return null
    case 'paused':
      await postponePaused(database, claimed, chunk.platform)
      return null
    case 'ready': {
      const pace = await takePace(deps, claimed, chunk)
      if (pace !== UNBOUND) slot.leave()
      const run = new ChunkRun(deps, { claimed, chunk, sender, pace, window })
      await run.run(signal)
      return run
    }
    default:
      return unreachable(sender)
  }
}

/** The workers take turns at the shares of time in which a throttled notification is handed over. */
async function takePace({ database }: SendDeps, claimed: ClaimedChunk, chunk: OpenChunk): Promise<Pace> {
  const { perSecond, recipients } = chunk
  if (perSecond === null) return UNBOUND
  const { brandId, notificationId: id } = claimed
  const share = await takeThrottleShare(database, { brandId, id, wanted: recipients.length, ...SHARE })
  return paceOf(share, perSecond)
}

const SHARE = { stretchMs: 2_000, aheadMs: 1_000, behindMs: 500 } as const
