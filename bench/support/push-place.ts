import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SandboxAccess } from '../../src/delivery/sandbox/file.ts'
import { findFreePort } from '../../src/runtime/postgres/free-port.ts'
import { startPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { freshDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import { childrenOf } from '../../test/support/processes/beckon.ts'
import { saveMemory } from './figures.ts'
import { Processes, peakMiB } from './processes.ts'

/** A PostgreSQL, a database and a folder of a benchmark that sends, and its processes. */
export type PushPlace = {
  readonly folder: string
  readonly fresh: TestDatabase
  readonly postgresPid: number
  /** The certificate of all push services, which Beckon trusts. */
  readonly certificateFile: string
  /** Starts push services of their own, which know so many devices, and the browsers that are made with the seed. */
  readonly startSandbox: (devices: number, seed?: Buffer) => Promise<SandboxAccess>
  /**
   * Starts Beckon with one API process and one worker, where the environment names no other number; a file in the folder
   * tells it where the push services are.
   */
  readonly startBeckon: (environment?: Readonly<Record<string, string>>) => Promise<RunningBeckon>
}

export type RunningBeckon = {
  readonly api: string
  readonly apiPid: number
  readonly workerPid: number
  /** All workers; the one above is the first of them. */
  readonly workerPids: readonly number[]
}

/** Runs a benchmark and ends everything that it started. One that hangs holds up whoever waits for the machine. */
export async function withPushPlace(
  minutesMax: number,
  work: (place: PushPlace) => Promise<void>,
): Promise<void> {
  const processes = new Processes()
  const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
  const certificateFile = join(folder, 'certificate.json')
  await writeFile(certificateFile, JSON.stringify(makeCertificate(Date.now())))
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
  const fresh = await freshDatabase()
  const startSandbox: PushPlace['startSandbox'] = async (devices, seed = randomBytes(32)) => {
    const args = ['bench/support/control-sandbox.ts', certificateFile, String(devices), seed.toString('hex')]
    return JSON.parse((await processes.start(args)).said)
  }
  const started: RunningBeckon[] = []
  const startBeckon: PushPlace['startBeckon'] = async (environment = {}) => {
    const settings = { ...environment, DATABASE_URL: fresh.url, BECKON_DATA_DIR: folder }
    const beckon = await start(processes, settings)
    started.push(beckon)
    return beckon
  }
  const giveUp = async (): Promise<never> => {
    await wait(minutesMax * 60_000, undefined, { ref: false })
    throw new Error(`not done after ${minutesMax} minutes`)
  }
  try {
    await Promise.race([
      work({ folder, fresh, postgresPid: postgres.pid, certificateFile, startSandbox, startBeckon }),
      giveUp(),
    ])
    for (const { apiPid, workerPids } of started) {
      saveMemory('API process', peakMiB(apiPid))
      for (const pid of workerPids) saveMemory('worker', peakMiB(pid))
    }
  } finally {
    await processes.stop()
    // Another place may have been made meanwhile, on a server that is stopped by now.
    process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
    await fresh.drop()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function start(
  processes: Processes,
  environment: Readonly<Record<string, string>>,
): Promise<RunningBeckon> {
  const port = String(await findFreePort(null))
  const { pid } = await processes.start(['src/main.ts', 'start'], {
    said: / is ready on /,
    environment: {
      PORT: port,
      BECKON_SANDBOX: 'off',
      BECKON_API_PROCESSES: '1',
      BECKON_WORKER_PROCESSES: '1',
      ...environment,
    },
  })
  const children = await childrenOf(pid)
  const pidsOf = (role: string): readonly number[] =>
    children.filter(({ command }) => command.includes(` ${role} --name`)).map(({ pid: child }) => child)
  const [apiPid = 0] = pidsOf('api')
  const workerPids = pidsOf('worker')
  return { api: `http://127.0.0.1:${port}/api/v1`, apiPid, workerPid: workerPids[0] ?? 0, workerPids }
}
