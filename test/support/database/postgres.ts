import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../../../src/runtime/errors.ts'
import { startPostgres } from '../../../src/runtime/postgres/start-postgres.ts'
import { stopServer } from '../../../src/runtime/postgres/stop-server.ts'

/** A server for one run of tests: fast because a power cut may eat it, and gone after. */
export type ThrowawayPostgres = { readonly url: string; stop(): Promise<void> }

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // All files of a run side by side, each with several pools, and processes that a test has killed keep theirs for a moment.
  max_connections: '1000',
  shared_buffers: '128MB',
  autovacuum_naptime: '1min',
} as const

export async function startThrowawayPostgres(): Promise<ThrowawayPostgres> {
  await removeLeftovers()
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const server = await startPostgres({ dataDir, throwaway: SETTINGS })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const PREFIX = 'beckon-throwaway-'

/** A run that was killed could not clean up; its server would run for ever. */
async function removeLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    if (!Number.isInteger(pid) || isAlive(pid)) continue
    const dataDir = join(tmpdir(), name)
    await stopServer(join(dataDir, 'postgres'))
    await rm(dataDir, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // Somebody else's process is alive, and its files are not ours to remove.
    return errorCode(cause) !== 'ESRCH'
  }
}
