import cluster from 'node:cluster'
import type { Metrics } from '../metrics.ts'
import { MEASURE_MAX_MS, type MessageFromProcess, type MessageToProcess } from './process-messages.ts'
import { listenForShutdown } from './shutdown.ts'

/** How an API or worker process starts and stops: under the supervisor, or alone in a terminal. */
export type ProcessLifecycle = {
  /** Aborts when the process is to finish the work in flight and exit. */
  readonly signal: AbortSignal
  /** Reports that the process is in service. */
  readonly ready: () => Promise<void>
  /** The Prometheus text of all processes under the same supervisor, or of this process if it runs alone. */
  readonly renderMetrics: () => Promise<string>
}

export function openLifecycle(metrics: Metrics): ProcessLifecycle {
  return cluster.isWorker ? supervisedLifecycle(metrics) : standaloneLifecycle(metrics)
}

/** Tells the supervisor, or the person at the terminal, why this process cannot start. */
export async function reportFailure(sentence: string): Promise<void> {
  if (cluster.isWorker) await tellSupervisor({ kind: 'failed', sentence })
  else process.stderr.write(`${sentence}\n`)
}

function standaloneLifecycle(metrics: Metrics): ProcessLifecycle {
  const { signal, hurry } = listenForShutdown()
  hurry.addEventListener('abort', () => process.exit(1))
  return { signal, ready: async () => undefined, renderMetrics: async () => metrics.render() }
}

/**
 * When the supervisor dies, `node:cluster` ends its processes at once, whatever they are doing: a new supervisor may be
 * on its way, and leases run out by themselves.
 */
function supervisedLifecycle(metrics: Metrics): ProcessLifecycle {
  const drain = new AbortController()
  const questions = new MetricsQuestions()
  process.on('message', (message: MessageToProcess) => {
    if (message.kind === 'drain') drain.abort()
    if (message.kind === 'measure') void sendMetrics(metrics, message.id)
    if (message.kind === 'all-measured') questions.settle(message.id, message.text)
  })
  // Ctrl-C and a closed terminal signal every process of the terminal; a supervised process waits for its supervisor.
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)
  process.on('SIGTERM', () => drain.abort())
  return {
    signal: drain.signal,
    ready: async () => tellSupervisor({ kind: 'ready' }),
    renderMetrics: async () => (await questions.ask()) ?? metrics.render(),
  }
}

/** Resolves when the message is on its way, so that it is not lost when the process ends right after. */
async function tellSupervisor(message: MessageFromProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // A closed channel means that the supervisor is gone, and this process is about to end too.
  if (process.send?.(message, undefined, undefined, () => resolve()) === undefined) resolve()
  await promise
}

async function sendMetrics(metrics: Metrics, id: number): Promise<void> {
  await tellSupervisor({ kind: 'measured', id, text: await metrics.render() })
}

/** Questions to the supervisor that wait for their answer; null when no answer comes in time. */
class MetricsQuestions {
  readonly #open = new Map<number, (text: string | null) => void>()
  #last = 0

  async ask(): Promise<string | null> {
    const id = ++this.#last
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const bound = setTimeout(() => resolve(null), MEASURE_MAX_MS)
    this.#open.set(id, resolve)
    await tellSupervisor({ kind: 'measure-all', id })
    const text = await promise
    clearTimeout(bound)
    this.#open.delete(id)
    return text
  }

  settle(id: number, text: string): void {
    this.#open.get(id)?.(text)
  }
}
