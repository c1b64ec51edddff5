import cluster, { type Worker } from 'node:cluster'
import { StartError } from '../errors.ts'
import { MEASURE_MAX_MS, type MessageFromProcess, type MessageToProcess } from './process-messages.ts'

type ProcessPlan = {
  /** The command that the process runs: `api` or `worker`. */
  readonly role: string
  /** The name of its slot: `api-1`. A process that replaces another has the same name. */
  readonly name: string
  readonly script: string
  readonly environment: Readonly<Record<string, string>>
}

export type ProcessExit = { readonly code: number | null; readonly signal: string | null }

/** Loading, connecting and listening take well under a second; a machine that needs this long is in trouble. */
const READY_MAX_MS = 60_000

/**
 * One API or worker process, seen from the supervisor.
 *
 * | state    | moves to | when                                                                                  |
 * |----------|----------|---------------------------------------------------------------------------------------|
 * | starting | ready    | it sends `ready`                                                                      |
 * |          | failed   | it sends `failed`, or says nothing for `READY_MAX_MS`: `ready` rejects; it still runs |
 * |          | exited   | it ends                                                                               |
 * | failed   | exited   | it ends by itself, or by `kill`                                                       |
 * | ready    | exited   | it ends by itself, after `drain`, or by `kill`                                        |
 *
 * Never does a process leave `exited`, and never does it become ready after it failed.
 */
export class SupervisedProcess {
  readonly name: string
  readonly startedAt = performance.now()
  readonly exited: Promise<ProcessExit>
  /** Resolves when the process is in service; rejects with the sentence of a process that cannot start. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #measures = new Map<number, (text: string | null) => void>()
  #lastMeasure = 0

  /** `onMeasureAll` answers a scrape of this process with the text of all. */
  constructor(plan: ProcessPlan, onMeasureAll: () => Promise<string>) {
    this.name = plan.name
    cluster.setupPrimary({ exec: plan.script, args: [plan.role, '--name', plan.name] })
    this.#worker = cluster.fork({ ...plan.environment })
    const exited = Promise.withResolvers<ProcessExit>()
    const ready = Promise.withResolvers<void>()
    this.exited = exited.promise
    this.ready = ready.promise
    const bound = setTimeout(() => ready.reject(new StartError(late(plan.name))), READY_MAX_MS)
    this.#worker.once('exit', (code: number | null, signal: string | null) => {
      clearTimeout(bound)
      ready.reject(
        new StartError(`${plan.name} ended before it was in service (${signal ?? `code ${code}`}).`),
      )
      exited.resolve({ code, signal })
    })
    // A message to a process that has just died fails, which is no error: `exited` tells of the death.
    this.#worker.on('error', () => undefined)
    this.#worker.on('message', (message: MessageFromProcess) => {
      if (message.kind === 'measured') this.#measures.get(message.id)?.(message.text)
      if (message.kind === 'measure-all') void this.#answer(message.id, onMeasureAll)
      if (message.kind === 'failed') ready.reject(new StartError(message.sentence))
      if (message.kind !== 'ready') return
      clearTimeout(bound)
      ready.resolve()
    })
  }

  /** Asks the process to finish its work and exit, and waits for the exit; after `maxMs` it is killed. */
  async drain(maxMs: number): Promise<void> {
    this.#tell({ kind: 'drain' })
    const bound = setTimeout(() => this.kill(), maxMs)
    await this.exited
    clearTimeout(bound)
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** The metrics of the process, or null when they do not come in time. */
  async measure(): Promise<string | null> {
    const id = ++this.#lastMeasure
    const { promise, resolve } = Promise.withResolvers<string | null>()
    // Less than the process that asked will wait, so that the metrics of the others reach it in time.
    const bound = setTimeout(() => resolve(null), MEASURE_MAX_MS * 0.75)
    this.#measures.set(id, resolve)
    this.#tell({ kind: 'measure', id })
    const text = await promise
    clearTimeout(bound)
    this.#measures.delete(id)
    return text
  }

  async #answer(id: number, onMeasureAll: () => Promise<string>): Promise<void> {
    this.#tell({ kind: 'all-measured', id, text: await onMeasureAll() })
  }

  #tell(message: MessageToProcess): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => undefined)
  }
}

function late(name: string): string {
  return `${name} is not in service after ${READY_MAX_MS / 1000} seconds: look at the log lines above.`
}
