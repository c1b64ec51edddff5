import type { Metrics } from '../metrics.ts'
import { type FromChild, MEASURE_MAX_MS, type ToChild } from './crew-messages.ts'
import type { Host } from './host.ts'

/**
 * The supervised process's end of the line. When the supervisor vanishes, `node:cluster` ends the process at
 * once, whatever it is doing: a new supervisor may be on its way, and leases run out by themselves.
 */
export function supervisedHost(metrics: Metrics): Host {
  const drain = new AbortController()
  const questions = new Questions()
  process.on('message', (message: ToChild) => {
    if (message.kind === 'drain') drain.abort()
    if (message.kind === 'measure') void answer(metrics, message.id)
    if (message.kind === 'all-measured') questions.settle(message.id, message.text)
  })
  // Ctrl-C and a closed terminal reach every process there; this one waits for the supervisor's word.
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
export async function tellSupervisor(message: FromChild): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // A line that broke means that the supervisor is gone, and this process is about to follow it.
  if (process.send?.(message, undefined, undefined, () => resolve()) === undefined) resolve()
  await promise
}

async function answer(metrics: Metrics, id: number): Promise<void> {
  await tellSupervisor({ kind: 'measured', id, text: await metrics.render() })
}

/** Questions to the supervisor that wait for their answer; null when it does not come in time. */
class Questions {
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
