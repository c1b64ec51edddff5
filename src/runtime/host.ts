import cluster from 'node:cluster'
import type { Metrics } from './metrics.ts'
import { listenForShutdown } from './shutdown.ts'
import { supervisedHost, tellSupervisor } from './supervised-host.ts'

/** What surrounds an API or worker process: the supervisor, or just the terminal it was started from. */
export type Host = {
  /** Aborts when the process is to finish what is in flight and leave. */
  readonly signal: AbortSignal
  /** Says that the process is in service. */
  readonly ready: () => Promise<void>
  /** The Prometheus text of every process that belongs together. */
  readonly renderMetrics: () => Promise<string>
}

export function joinHost(metrics: Metrics): Host {
  return cluster.isWorker ? supervisedHost(metrics) : soloHost(metrics)
}

/** Tells why a process cannot start to whoever started it. */
export async function reportFailure(sentence: string): Promise<void> {
  if (cluster.isWorker) await tellSupervisor({ kind: 'failed', sentence })
  else process.stderr.write(`${sentence}\n`)
}

function soloHost(metrics: Metrics): Host {
  const { signal, hurry } = listenForShutdown()
  hurry.addEventListener('abort', () => process.exit(1))
  return { signal, ready: async () => undefined, renderMetrics: async () => metrics.render() }
}
