import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineOptions, startEngine, type TestEngine } from '../push/engine.ts'
import { type KillableProcess, startProcess } from './killable-process.ts'

/** An engine, and workers of it that can be killed. */
export async function startKillable(options: EngineOptions = {}) {
  const engine = await startEngine(options)
  const workers = new KillableWorkers(engine)
  const close = async (): Promise<void> => {
    await workers.close()
    await engine.close()
  }
  return { engine, workers, close }
}

/**
 * Workers of a test engine in processes of their own, which can be killed without a word. What a worker complains of is
 * in the engine's log, so it ends the engine's waits.
 */
class KillableWorkers {
  readonly #engine: TestEngine
  readonly #folder = mkdtempSync(join(tmpdir(), 'beckon-kills-'))
  readonly #accessFile = join(this.#folder, 'access.json')
  readonly #running = new Set<KillableProcess>()

  constructor(engine: TestEngine) {
    this.#engine = engine
    writeFileSync(this.#accessFile, JSON.stringify(engine.access))
  }

  /** `behindMs` sets its clock back; `flags` are those of the process, such as `--journeys`. */
  async start(behindMs = 0, flags: readonly string[] = []): Promise<KillableProcess> {
    const { url, log } = this.#engine
    const worker = await startProcess({
      file: join(import.meta.dirname, '../../fault/worker-process.ts'),
      args: ['--url', url, '--access', this.#accessFile, `--behind=${behindMs}`, ...flags],
      onComplaint: (text) => log.error(text),
    })
    this.#running.add(worker)
    return worker
  }

  async kill(worker: KillableProcess): Promise<void> {
    this.#running.delete(worker)
    await worker.kill()
  }

  async killAll(): Promise<void> {
    for (const worker of this.#running) await this.kill(worker)
  }

  async close(): Promise<void> {
    await this.killAll()
    rmSync(this.#folder, { recursive: true })
  }
}
