import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstIdAt, WEEK_MS, weekOf } from '../../../src/domain/events/week.ts'
import type { EventFiles } from '../../../src/intake/event-files/ask-files.ts'
import { bringEvents } from '../../../src/intake/event-files/cold-events.ts'
import { type FilePlace, folderPlace } from '../../../src/intake/event-files/file-place.ts'
import { QuestionScratch } from '../../../src/intake/event-files/question-scratch.ts'
import type { ThawPlace } from '../../../src/intake/event-files/thaw-pages.ts'
import { freezeRound } from '../../../src/pipeline/events/freezing.ts'
import { DuckDbProcess } from '../../../src/runtime/duckdb/duckdb-process.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { Database, withOwner } from '../../../src/store/db.ts'
import { maintainWeeks } from '../../../src/store/events/weeks.ts'
import type { TestDatabase } from '../database/database.ts'
import { until } from '../until.ts'
import { lockAttributes } from './lock-attributes.ts'

export const DAY_MS = 86_400_000

/** The week that is frozen first: it ended two weeks ago. */
export const OLD_WEEK = weekOf(Date.now() - 3 * WEEK_MS)

/** An event as it is in PostgreSQL. `place` tells events of one instant apart. */
export type RawEvent = {
  readonly receivedAt: number
  readonly place: number
  readonly profileId: number
  readonly name: string
  readonly at: number
  readonly ltv: string
  /** JSON, as it is written. */
  readonly attributes: string
  readonly context: string | null
}

export function rawEvent(place: number, change: Partial<RawEvent> = {}): RawEvent {
  const { receivedAt = OLD_WEEK.startsAt + place * 60_000 } = change
  return {
    receivedAt,
    place,
    profileId: (place % 7) + 1,
    name: place % 3 === 0 ? 'buy' : 'see',
    at: receivedAt - 1_000,
    ltv: '10',
    attributes: `{"sku": "A-${place % 4}", "total": ${place}.50}`,
    context: null,
    ...change,
  }
}

/** A folder for event files, and a DuckDB that reads it. `lines` has the warnings. */
export async function openFiles() {
  return openFilesWith((plan) => new DuckDbProcess(plan))
}

type DuckDbPlan = ConstructorParameters<typeof DuckDbProcess>[0]

/** The same with a DuckDB of the test's own kind. */
export async function openFilesWith<Kind extends DuckDbProcess>(make: (plan: DuckDbPlan) => Kind) {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-frozen-'))
  const lines: string[] = []
  const log = createLog({ level: 'warn', process: 'test', to: { write: (line) => lines.push(line) } })
  const questions = await mkdtemp(join(tmpdir(), 'beckon-questions-'))
  const scratch = new QuestionScratch({ folder: questions })
  const duckdb = make({
    folder,
    scratch: questions,
    memoryMib: 512,
    threads: 2,
    access: 'read',
    idleMs: 60_000,
  })
  const eventFiles = { folder, scratch, cache: null, duckdb, log } satisfies EventFiles
  return { folder, lines, log, eventFiles }
}

type OpenedFiles = Omit<Awaited<ReturnType<typeof openFiles>>, 'eventFiles'> & {
  readonly eventFiles: EventFiles
}

/** A folder of event files, and what fills it. */
export async function openFrozen(
  { url, database }: Pick<TestDatabase, 'url' | 'database'>,
  files?: OpenedFiles,
  kept?: FilePlace,
) {
  const { folder, lines, log, eventFiles } = files ?? (await openFiles())
  const place = kept ?? folderPlace(folder)
  await withOwner(url, async (owner) => maintainWeeks(owner, { now: OLD_WEEK.startsAt, retentionDays: 365 }))
  /** One round. */
  const once = async (laterMs = 0, rowsDays: number | null = null): Promise<void> => {
    const clock = { now: () => Date.now() + laterMs }
    const config = { analyticsMemoryMib: 512, eventRowsDays: rowsDays }
    const signal = new AbortController().signal
    const { cache } = eventFiles
    const deps = { databaseUrl: url, database, clock, log, config, place, cache } as const
    await freezeRound({ ...deps, cpuShare: 'equal' }, signal)
  }
  const untilFree = async (): Promise<void> =>
    until(async () => !(await isHeldUp(database)), { what: 'the end of older transactions' })
  return {
    folder,
    lines,
    eventFiles,
    /** Waits for transactions of other tests on the same server that keep weeks and changes from being written. */
    untilFree,
    /** A moment in the old week. */
    oldAt: OLD_WEEK.startsAt + DAY_MS,
    store: async (brandId: number, events: readonly RawEvent[]): Promise<readonly bigint[]> =>
      storeRaw(database, brandId, events),
    once,
    /** All that can be frozen, some time from now. */
    round: async (laterMs = 0): Promise<void> => {
      await once(laterMs)
      await untilFree()
      await once(laterMs)
    },
    /** Drops the rows of frozen weeks. */
    drop: async (laterMs = 0): Promise<void> => {
      await once(laterMs, 0)
      await untilFree()
      await once(laterMs, 0)
    },
    /** A database that reads dropped events from the files, as many of them at once as usual, or fewer. */
    openCold: (bounds: Partial<Pick<ThawPlace, 'bringMax' | 'bringMsMax' | 'cache'>> = {}): Database =>
      new Database({
        url,
        connectionsMax: 10,
        name: 'beckon cold test',
        author: 'system',
        connectTimeoutMs: 300_000,
        bringEvents: async (tx, needs) => bringEvents({ ...eventFiles, ...bounds }, tx, needs),
      }),
    /** The files in the folder, from it on. */
    names: async (): Promise<readonly string[]> => {
      const found = await readdir(folder, { recursive: true, withFileTypes: true })
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .toSorted()
    },
    close: async (): Promise<void> => {
      await eventFiles.duckdb.close()
      await rm(folder, { recursive: true, force: true })
      await rm(eventFiles.scratch.folder, { recursive: true, force: true })
    },
  }
}

export type Frozen = Awaited<ReturnType<typeof openFrozen>>

/** Whether a week or a change waits for a transaction that is still open, in any database of the server. */
async function isHeldUp(database: TestDatabase['database']): Promise<boolean> {
  const { rows } = await database.query<{ isHeldUp: boolean }>(
    `select exists (select from event_file_weeks
         where frozen_at is null and coalesce(fence > pg_snapshot_xmin(pg_current_snapshot()), true))
       or exists (select from event_file_changes where tx >= pg_snapshot_xmin(pg_current_snapshot())) as "isHeldUp"`,
  )
  return rows[0]?.isHeldUp === true
}

async function storeRaw(
  database: TestDatabase['database'],
  brandId: number,
  events: readonly RawEvent[],
): Promise<readonly bigint[]> {
  const rows = events.map(({ receivedAt, place, at, ...event }) => ({
    ...event,
    id: String(firstIdAt(receivedAt) + BigInt(place)),
    at: new Date(at).toISOString(),
  }))
  const { rows: stored } = await database.query<{ id: bigint }>(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes, context)
     select id, "profileId", at, $1, false, name, ltv::numeric, attributes::jsonb, context::jsonb
     from jsonb_to_recordset($2::jsonb) as e (id bigint, "profileId" bigint, name text, ltv text, at timestamptz,
       attributes text, context text) returning id`,
    [brandId, JSON.stringify(rows)],
  )
  await lockAttributes(database, brandId)
  return stored.map(({ id }) => id)
}
