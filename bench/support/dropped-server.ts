import { HttpServer } from '../../src/http/edge/server.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { openFrozen } from '../../test/support/events/frozen.ts'
import { BENCH_OPTIONS, type BenchServer } from './bench-server.ts'
import type { ReadRow } from './read-rows.ts'

/** The rows of all events as they were, for bare queries. */
const KEPT = 'kept.events'
const ROUNDS_MAX = 100

/**
 * Freezes all ended weeks of events, drops their rows, and lets `work` ask an API server that reads them from their files. A copy of
 * all rows stays beside them, so that a bare query still has the same rows to read (`onKeptRows`).
 */
export async function withoutOldRows(
  server: BenchServer,
  tell: (what: string) => void,
  work: (server: BenchServer) => Promise<void>,
): Promise<void> {
  const { url, database } = server
  await withOwner(url, keepRows)
  const frozen = await openFrozen({ url, database })
  const cold = frozen.openCold()
  const api = new HttpServer(
    { ...server.server.deps, database: cold, eventFiles: frozen.eventFiles },
    ROUTES,
    BENCH_OPTIONS,
  )
  try {
    const beganAt = performance.now()
    for (let round = 0; !(await isDropped(database)); round += 1) {
      if (round === ROUNDS_MAX) throw new Error(`rows are left: ${frozen.lines.join('')}`)
      await frozen.once(0, 0)
    }
    tell(`${await droppedFigures(database)}, in ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`)
    await withOwner(url, async (owner) => owner.query('vacuum (analyze)'))
    const { port } = await api.listen({ host: '127.0.0.1', port: 0 })
    await work({ ...server, port })
  } finally {
    await api.stop()
    await cold.close()
    await frozen.close()
  }
}

/** The reads of events, whose bare queries read the copy of all rows. */
export function onKeptRows(reads: readonly ReadRow[]): readonly ReadRow[] {
  return reads
    .filter((read) => READS_EVENTS.test(read.bare(1).text))
    .map((read) => ({
      ...read,
      name: `${read.name}, with old weeks in files only`,
      bare: (n) => {
        const { text, values } = read.bare(n)
        return { text: text.replaceAll(new RegExp(READS_EVENTS, 'g'), `from ${KEPT}`), values }
      },
    }))
}

const READS_EVENTS = /from events\b/

async function keepRows(owner: Db): Promise<void> {
  await owner.query('create schema kept; grant usage on schema kept to beckon_engine')
  await owner.query(`create table ${KEPT} (like public.events including indexes)`)
  await owner.query(`grant select, insert on ${KEPT} to beckon_engine`)
  await owner.query('begin; set local role beckon_engine; set local statement_timeout = 0')
  await owner.query(`insert into ${KEPT} select * from public.events`)
  await owner.query('commit')
}

async function isDropped(database: Db): Promise<boolean> {
  const { rows } = await database.query<{ isDropped: boolean }>(
    `select exists (select from event_files) and not exists (select from event_files where not is_alone)
       and not exists (select from event_file_weeks where frozen_at is null) as "isDropped"`,
  )
  return rows[0]?.isDropped === true
}

async function droppedFigures(database: Db): Promise<string> {
  const { rows } = await database.query<{ events: number; files: number }>(
    'select sum(events)::double precision as events, count(*)::double precision as files from event_files',
  )
  const { events = 0, files = 0 } = rows[0] ?? {}
  return `${events.toLocaleString('en')} events of ended weeks are in ${files} files only`
}
