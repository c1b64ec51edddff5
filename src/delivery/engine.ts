import type { Verdict } from '../domain/push/verdict.ts'
import { MEASURE_PAYLOAD } from '../providers/payload-bytes.ts'
import type { Platform } from '../rules/platforms.ts'
import { PAUSE_RULES } from '../rules/push.ts'
import type { LoopContext } from '../runtime/loop/loop.ts'
import { runLoop } from '../runtime/loop/run.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { newId } from '../runtime/secrets/crypto.ts'
import type { ReceiptSigner } from '../runtime/secrets/receipt-token.ts'
import { countPausedChannels } from '../store/push/channels.ts'
import { followSetback } from '../store/push/clock-setback.ts'
import { loadHold } from '../store/push/sending-hold.ts'
import { ChunkCommits } from './chunk-commits.ts'
import { LEASE_MS } from './chunk-job.ts'
import { openProviders, type ProvidersOptions } from './providers.ts'
import { runSender } from './sender.ts'

type EngineDeps = ProvidersOptions & {
  readonly receipts: ReceiptSigner
  readonly metrics: Metrics
  /** The jitter of retries; tests bring their own. */
  readonly random?: () => number
}

/** Sends chunks until the signal of the context aborts. Each worker process runs one engine. */
export async function runEngine(deps: EngineDeps, context: LoopContext): Promise<void> {
  const { database, receipts, metrics, random = Math.random } = deps
  const { clock, channels, close } = openProviders(deps)
  const send = {
    database,
    clock,
    channels,
    commits: new ChunkCommits(database),
    receipts,
    measure: MEASURE_PAYLOAD,
    random,
    onVerdict: verdictMeter(metrics),
  }
  await Promise.all([
    runSender(send, context, newId()),
    watchAlerts(deps, context),
    watchClock(deps, context),
  ])
  await close()
}

/** The metrics for an operator's alerts; a brand sees the reasons at its channels. */
async function watchAlerts({ database, metrics }: EngineDeps, context: LoopContext): Promise<void> {
  const paused = metrics.gauge({
    name: 'beckon_channels_paused',
    help: 'Channels of all brands that hand nothing over, because a credential is refused or a setting is wrong.',
    labels: [],
  })
  const held = metrics.gauge({
    name: 'beckon_sending_held',
    help: 'Whether all sending is held (bin/beckon hold): 1 or 0.',
    labels: [],
  })
  const look = async (): Promise<void> => {
    paused({}, await countPausedChannels(database))
    held({}, (await loadHold(database)) === null ? 0 : 1)
  }
  await watch('watch-alerts', look, context)
}

const WATCH_MS = 5_000

/** A clock of the database that is set back delays nothing for longer than a look takes. */
async function watchClock({ database }: EngineDeps, context: LoopContext): Promise<void> {
  const look = async (): Promise<void> => {
    const backMs = await followSetback(database, { leaseMs: LEASE_MS, pauseMs: PAUSE_RULES.pauseMs })
    if (backMs === 0) return
    context.log.warn("the database's clock was set back, and retries and throttles with it", { backMs })
    database.notify('send')
  }
  await watch('watch-clock', look, context)
}

/** A loop that looks at the database every few seconds and claims no work. */
async function watch(name: string, look: () => Promise<void>, context: LoopContext): Promise<void> {
  await runLoop(
    {
      name,
      claim: async () => {
        await look()
        return []
      },
      work: async () => undefined,
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: WATCH_MS, maxMs: WATCH_MS },
    },
    context,
  )
}

function verdictMeter(metrics: Metrics): (platform: Platform, verdict: Verdict) => void {
  const attempts = metrics.counter({
    name: 'beckon_attempts_total',
    help: 'Messages handed to a push provider, by what it answered.',
    labels: ['platform', 'verdict'],
  })
  return (platform, { kind }) => attempts({ platform, verdict: kind }, 1)
}
