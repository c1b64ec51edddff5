import { appendFile, rename, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'

/** Settings of PostgreSQL by name; the values as in `postgresql.conf`, without quotes. */
export type PostgresSettings = Readonly<Record<string, string>>

const MIB = 1024 * 1024

/** Settings that are safe, and sized for a machine that also runs the processes of Beckon. */
export function planSettings({ memoryBytes }: { readonly memoryBytes: number }): PostgresSettings {
  const memoryMib = Math.floor(memoryBytes / MIB)
  const buffersMib = Math.min(Math.max(Math.floor(memoryMib / 8), 64), 1024)
  return {
    ...SETTINGS,
    shared_buffers: `${buffersMib}MB`,
    effective_cache_size: `${Math.max(Math.floor(memoryMib / 2), 128)}MB`,
    maintenance_work_mem: `${Math.max(Math.floor(buffersMib / 4), 32)}MB`,
  }
}

const SETTINGS: PostgresSettings = {
  // Acknowledged requests survive a power cut.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',

  // Connections from this machine only, and no socket file, whose path may be too long.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  // For eight API processes and eight workers with pools of ten (store/connections-wanted.ts); an unused slot costs almost nothing.
  max_connections: '460',

  // Fewer, smoother checkpoints; the write-ahead log may grow to this size between two of them.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  min_wal_size: '128MB',
  wal_level: 'minimal',
  max_wal_senders: '0',

  // Compiling short statements costs more than it gains.
  jit: 'off',
  work_mem: '8MB',
  // Containers have 64 MB of /dev/shm, and a parallel hash join would ask for more.
  enable_parallel_hash: 'off',
  random_page_cost: '1.1',

  // Queue tables change often, so they are vacuumed early and in small steps.
  autovacuum_naptime: '30s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',

  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors of the server, but no statements and rows, so that tokens stay out of the log.
  log_min_messages: 'error',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

/** The memory of the machine, or the limit of its container. */
export function usableMemoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Writes `postgresql.conf` at every start, so that an upgrade brings its settings; `local.conf` overrides them. */
export async function saveSettings(folder: string, settings: PostgresSettings): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
  const file = join(folder, 'postgresql.conf')
  await appendFile(join(folder, 'local.conf'), '') // PostgreSQL does not start without a file that it includes
  await writeFile(`${file}.new`, [HEADER, ...lines, "include 'local.conf'", ''].join('\n'))
  await rename(`${file}.new`, file)
}

const HEADER = '# Written by Beckon at each start. Put settings of your own into local.conf beside this file.'
