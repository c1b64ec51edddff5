import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../../src/runtime/postgres/start-postgres.ts'
import { withOwner } from '../../../src/store/db.ts'

/** A server for one run of tests: fast because a power cut may eat it, and gone after. */
export type ThrowawayPostgres = { readonly url: string; stop(): Promise<void> }

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // All files of a run side by side, each with several pools, and processes that a test has killed keep theirs for a moment.
  max_connections: '1000',
  shared_buffers: '128MB',
  // The folder may be in memory.
  max_wal_size: '512MB',
  autovacuum_naptime: '1min',
  // A run opens thousands of connections, and nobody guesses the password of a server that lives for minutes.
  scram_iterations: '1',
} as const

export async function startThrowawayPostgres(): Promise<ThrowawayPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'beckon-throwaway-'))
  const server = await startPostgres({ dataDir, throwaway: SETTINGS })
  await renewPassword(server.url)
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** `initdb` has hashed the password in the usual 4096 rounds, which each connection repeats on both sides. */
async function renewPassword(url: string): Promise<void> {
  const { username, password } = new URL(url)
  await withOwner(url, async (owner) => owner.query(`alter role ${username} password '${password}'`))
}
