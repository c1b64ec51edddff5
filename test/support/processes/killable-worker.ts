import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngine, type TestEngine } from '../push/engine.ts'

/** An engine, and workers of it that can be killed. */
export async function startKillable() {
  const engine = await startEngine()
  const workers = new KillableWorkers(engine)
  const close = async (): Promise<void> => {
    await workers.close()
    await engine.close()
  }
  return { engine, workers, close }
}

/** Workers of a test engine in processes of their own, which can be killed without a word. */
class KillableWorkers {
  readonly #engine: TestEngine
  readonly #folder = mkdtempSync(join(tmpdir(), 'beckon-kills-'))
  readonly #placesFile = join(this.#folder, 'places.json')
  readonly #running = new Set<ChildProcess>()

  constructor(engine: TestEngine) {
    this.#engine = engine
    writeFileSync(this.#placesFile, JSON.stringify(engine.places))
  }

  /** `behindMs` sets its clock back; `flags` are those of the process, such as `--journeys`. */
  async start(behindMs = 0, flags: readonly string[] = []): Promise<ChildProcess> {
    const file = join(import.meta.dirname, '../../fault/worker-process.ts')
    const args = [
      file,
      '--url',
      this.#engine.url,
      '--places',
      this.#placesFile,
      `--behind=${behindMs}`,
      ...flags,
    ]
    const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#running.add(worker)
    await once(worker.stdout, 'data')
    return worker
  }

  async kill(worker: ChildProcess): Promise<void> {
    this.#running.delete(worker)
    if (worker.exitCode !== null || worker.signalCode !== null) return
    const exited = once(worker, 'exit')
    worker.kill('SIGKILL')
    await exited
  }

  async killAll(): Promise<void> {
    for (const worker of this.#running) await this.kill(worker)
  }

  async close(): Promise<void> {
    await this.killAll()
    rmSync(this.#folder, { recursive: true })
  }
}
