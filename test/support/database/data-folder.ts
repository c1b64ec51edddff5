import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { RunningPostgres } from '../../../src/runtime/postgres/running-postgres.ts'
import { startPostgres } from '../../../src/runtime/postgres/start-postgres.ts'
import { stopServer } from '../../../src/runtime/postgres/stop-server.ts'

export type Started = { readonly pid: number; readonly url: string; readonly adopted: boolean }

/** A kill loses nothing without fsync, only a power cut does; and tests wait for disks long enough. */
export const QUICK = { fsync: 'off' } as const

/** Starts a server from this process. */
export async function start(dataDir: string): Promise<RunningPostgres> {
  return startPostgres({ dataDir, throwaway: QUICK })
}

/** Lends a data folder to one test, and leaves neither a server nor files behind. */
export async function onDataFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'beckon-postgres-'))
  const dataDir = join(home, 'data')
  try {
    await work(dataDir)
  } finally {
    await stopServer(join(dataDir, 'postgres'))
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

export const START_PROGRAM = join(import.meta.dirname, 'start-postgres.ts')

/** Starts a server from a process of its own, which ends and leaves it running. */
export async function startElsewhere(dataDir: string, options: SpawnOptions = {}): Promise<Started> {
  return readStarted(spawnStart(dataDir, options))
}

export async function readStarted({ stdout, stderr }: ChildProcess): Promise<Started> {
  if (stdout === null || stderr === null) throw new Error('the program has no output')
  const [answer, complaint] = await Promise.all([text(stdout), text(stderr)])
  if (answer === '') throw new Error(complaint)
  return JSON.parse(answer)
}

export function spawnStart(dataDir: string, options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [START_PROGRAM, dataDir], { stdio: ['ignore', 'pipe', 'pipe'], ...options })
}
