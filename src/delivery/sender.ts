import { unreachable } from '../domain/unreachable.ts'
import type { Loop, LoopHost, Place } from '../runtime/loop/loop.ts'
import { runLoop } from '../runtime/loop/run.ts'
import {
  type ChunkClaim,
  type ClaimedChunk,
  claimChunks,
  releaseChunks,
  renewChunks,
} from '../store/push/chunks.ts'
import { endChunk } from '../store/push/end-chunks.ts'
import { failChunk } from '../store/push/fail.ts'
import { type OpenChunk, openChunk } from '../store/push/open-chunk.ts'
import { postponePaused } from '../store/push/postpone.ts'
import { takeThrottleShare } from '../store/push/throttle.ts'
import type { SendDeps } from './chunk-job.ts'
import { ChunkRun } from './chunk-run.ts'
import { Gate } from './gate.ts'
import { LEASE_MS } from './lease.ts'
import { type Pace, paceOf, UNBOUND } from './pace.ts'

/**
 * Sends what is ready. Two loops share the work: one takes whatever comes, the other only what is small, so that a
 * single send finds somebody free while every place of the first is filled with a broadcast.
 */
export async function runSender(deps: SendDeps, host: LoopHost, workerId: string): Promise<void> {
  await Promise.all(
    LANES.map(async (lane) => {
      const loop = sendLoop(deps, workerId, { ...lane, gate: new Gate(lane.inFlightMax) })
      return runLoop(loop, host)
    }),
  )
}

const LANES = [
  { name: 'send-small', sizes: 'small', concurrency: 32, inFlightMax: 500 },
  { name: 'send', sizes: 'any', concurrency: 4, inFlightMax: 1_000 },
] as const

/** What is new is told; looked for is what becomes due by itself, such as a retry. */
const IDLE = { minMs: 20, maxMs: 200 }

type Lane = {
  readonly name: string
  readonly sizes: ChunkClaim['sizes']
  readonly concurrency: number
  readonly gate: Gate
}

function sendLoop(deps: SendDeps, workerId: string, lane: Lane): Loop<ClaimedChunk, ChunkRun | null> {
  const { database } = deps
  const { name, sizes, concurrency, gate } = lane
  return {
    name,
    claim: async (count) => claimChunks(database, { workerId, count, leaseMs: LEASE_MS, sizes }),
    work: async (claimed, signal, place) => workChunk(deps, { claimed, gate, signal, place }),
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
    news: 'send',
  }
}

/** How many throttled chunks a lane keeps going beside the others: they wait most of their time. */
const THROTTLED_MAX = 100

type Work = {
  readonly claimed: ClaimedChunk
  readonly gate: Gate
  readonly signal: AbortSignal
  readonly place: Place
}

/** Opens a claimed chunk and hands it over, unless there is a reason not to. Null when nothing is left to settle. */
async function workChunk(deps: SendDeps, work: Work): Promise<ChunkRun | null> {
  const { claimed, gate, signal, place } = work
  const { database, channels, clock } = deps
  await clock.sync()
  const chunk = await database.asEngine(async (tx) => openChunk(tx, claimed))
  if (chunk === null) return null
  if (chunk.isCancelled) {
    await endChunk(database, claimed, { state: 'cancelled', reason: 'cancelled' })
    return null
  }
  if (chunk.recipients.length === 0) return null

  const way = await channels.find({ brandId: claimed.brandId, platform: chunk.platform })
  switch (way.kind) {
    case 'none':
      await failChunk(database, claimed, 'no_credentials')
      return null
    case 'held':
      await postponePaused(database, claimed, chunk.platform)
      return null
    case 'open': {
      const pace = await takePace(deps, claimed, chunk)
      if (pace !== UNBOUND) place.leave()
      const run = new ChunkRun(deps, { claimed, chunk, way, pace, gate })
      await run.run(signal)
      return run
    }
    default:
      return unreachable(way)
  }
}

/** A throttled chunk is handed over in shares of time, which all workers take one after the other. */
async function takePace({ database }: SendDeps, claimed: ClaimedChunk, chunk: OpenChunk): Promise<Pace> {
  const { perSecond, recipients } = chunk
  if (perSecond === null) return UNBOUND
  const { brandId, notificationId: id } = claimed
  const share = await takeThrottleShare(database, { brandId, id, wanted: recipients.length, ...SHARE })
  return paceOf(share, perSecond)
}

const SHARE = { stretchMs: 2_000, aheadMs: 1_000, behindMs: 500 } as const
