import cluster from 'node:cluster'
import type { Metrics } from '../metrics.ts'
import type { Host } from './host.ts'
import { listenForShutdown } from './shutdown.ts'
import { supervisedHost, tellSupervisor } from './supervised-host.ts'

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
