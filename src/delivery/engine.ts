import { providerErrorOf } from '../domain/push/provider-error.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import { MEASURE_PAYLOAD } from '../providers/payload-bytes.ts'
import { PLATFORM_NAMES, type Platform } from '../rules/platforms.ts'
import { PROVIDER_ERRORS } from '../rules/provider-errors.ts'
import { PAUSE_RULES } from '../rules/push.ts'
import type { LoopContext } from '../runtime/loop/loop.ts'
import { watch } from '../runtime/loop/watch.ts'
import { MEASURES } from '../runtime/measures.ts'
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
  const { database, clock, receipts, metrics, random = Math.random } = deps
  const { channels, close } = openProviders(deps)
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
  const paused = metrics.gauge(MEASURES.channelsPaused)
  const held = metrics.gauge(MEASURES.sendingHeld)
  const look = async (): Promise<void> => {
    paused({}, await countPausedChannels(database))
    held({}, (await loadHold(database)) === null ? 0 : 1)
  }
  await watch({ name: 'watch-alerts' }, look, context)
}

const CLOCK_MS = 5_000

/** A clock of the database that is set back delays nothing for longer than a look takes. */
async function watchClock({ database }: EngineDeps, context: LoopContext): Promise<void> {
  const look = async (): Promise<void> => {
    const backMs = await followSetback(database, { leaseMs: LEASE_MS, pauseMs: PAUSE_RULES.pauseMs })
    if (backMs === 0) return
    context.log.warn("the database's clock was set back, and retries and throttles with it", { backMs })
    database.notify('send')
  }
  await watch({ name: 'watch-clock', everyMs: CLOCK_MS }, look, context)
}

/** Every series exists from the start, so that its first growth is seen as growth. */
function verdictMeter(metrics: Metrics): (platform: Platform, verdict: Verdict) => void {
  const rows = PLATFORM_NAMES.flatMap((platform) => VERDICT_KINDS.map((verdict) => ({ platform, verdict })))
  const attempts = metrics.tallies(MEASURES.attempts, rows)
  const errors = metrics.counter(MEASURES.providerErrors)
  for (const platform of PLATFORM_NAMES) {
    for (const reason of Object.keys(PROVIDER_ERRORS)) errors({ platform, reason }, 0)
  }
  return (platform, verdict) => {
    const place =
      PLATFORM_NAMES.indexOf(platform) * VERDICT_KINDS.length + VERDICT_KINDS.indexOf(verdict.kind)
    const attempt = attempts[place]
    if (attempt !== undefined) attempt.count += 1
    const reason = providerErrorOf(verdict)
    if (reason !== null) errors({ platform, reason }, 1)
  }
}

const VERDICT_KINDS = [
  'accepted',
  'gone',
  'refused',
  'retry',
  'paused',
  'unknown',
] as const satisfies readonly Verdict['kind'][]
