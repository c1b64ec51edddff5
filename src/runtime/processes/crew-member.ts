import cluster, { type Worker } from 'node:cluster'
import { StartError } from '../error-code.ts'
import { type FromChild, MEASURE_MAX_MS, type ToChild } from './crew-messages.ts'

export type CrewMemberPlan = {
  /** The command it runs: `api` or `worker`. */
  readonly role: string
  /** Its place in the crew: `api-1`. A process that takes the place of another takes the name too. */
  readonly name: string
  readonly script: string
  readonly environment: Readonly<Record<string, string>>
}

export type Exit = { readonly code: number | null; readonly signal: string | null }

/** Loading, connecting and listening take well under a second; a machine that needs this long is in trouble. */
const READY_MAX_MS = 60_000

/** One API or worker process, seen from the supervisor. */
export class CrewMember {
  readonly name: string
  readonly bornAt = performance.now()
  readonly exited: Promise<Exit>
  /** Resolves when it is in service; fails with the sentence of a process that cannot start. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #measures = new Map<number, (text: string | null) => void>()
  #lastMeasure = 0

  /** `onMeasureAll` answers a scrape of this process with the text of all. */
  constructor(plan: CrewMemberPlan, onMeasureAll: () => Promise<string>) {
    this.name = plan.name
    cluster.setupPrimary({ exec: plan.script, args: [plan.role, '--name', plan.name] })
    this.#worker = cluster.fork({ ...plan.environment })
    const exited = Promise.withResolvers<Exit>()
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
    // Telling a process that has just died is no error; its exit is what counts.
    this.#worker.on('error', () => undefined)
    this.#worker.on('message', (message: FromChild) => {
      if (message.kind === 'measured') this.#measures.get(message.id)?.(message.text)
      if (message.kind === 'measure-all') void this.#answer(message.id, onMeasureAll)
      if (message.kind === 'failed') ready.reject(new StartError(message.sentence))
      if (message.kind !== 'ready') return
      clearTimeout(bound)
      ready.resolve()
    })
  }

  /** Asks it to finish and leave, and waits for that; after `maxMs` it is ended. */
  async drain(maxMs: number): Promise<void> {
    this.#tell({ kind: 'drain' })
    const bound = setTimeout(() => this.kill(), maxMs)
    await this.exited
    clearTimeout(bound)
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** What it measured, or null when it does not say so in time. */
  async measure(): Promise<string | null> {
    const id = ++this.#lastMeasure
    const { promise, resolve } = Promise.withResolvers<string | null>()
    // A quarter less than whoever asked will wait, so that the others' answers still arrive.
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

  #tell(message: ToChild): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => undefined)
  }
}

function late(name: string): string {
  return `${name} is not in service after ${READY_MAX_MS / 1000} seconds: look at the log lines above.`
}
