/**
 * Questions about frozen weeks of events, beside DuckDB alone on the same files and beside the rows of PostgreSQL. The whole size is
 * ten million events of a million people; `BENCH_EVENTS` and `BENCH_PEOPLE` set other numbers, `BENCH_ROUNDS` the rounds, and
 * `BENCH_QUESTIONS` is a part of the names of the questions that are asked.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROUTES } from '../src/http/routes.ts'
import { folderPlace } from '../src/intake/event-files/file-place.ts'
import { QuestionScratch } from '../src/intake/event-files/question-scratch.ts'
import { freezeRound } from '../src/pipeline/events/freezing.ts'
import { createLog } from '../src/runtime/log.ts'
import { analyticQuestions, seededTime } from './support/analytic-questions.ts'
import { measureQuestion } from './support/analytic-questions-asked.ts'
import { ANALYTICS, seedAnalytics } from './support/analytics-seed.ts'
import { startBenchServer } from './support/bench-server.ts'
import { saveFigure } from './support/figures.ts'
import { KeptDuckDb } from './support/kept-duckdb.ts'
import { median } from './support/median.ts'
import { PlainDuckDb } from './support/plain-duckdb.ts'
import { peakMiB } from './support/processes.ts'
import { verdict } from './support/verdict.ts'

const events = Number(process.env['BENCH_EVENTS'] ?? ANALYTICS.events)
const people = Number(process.env['BENCH_PEOPLE'] ?? ANALYTICS.people)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const memoryMib = Number(process.env['BENCH_ANALYTICS_MEMORY'] ?? 512)

/** Part of the names of the questions that are asked. */
const wanted = process.env['BENCH_QUESTIONS'] ?? ''
const THREADS = 2

const tell = (what: string): void => void process.stdout.write(`       ${what}\n`)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now()
  await work()
  return performance.now() - begunAt
}

const server = await startBenchServer(ROUTES, 'select 1')
const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-files-'))
const log = createLog({ level: 'warn', process: 'bench' })
const questions = await mkdtemp(join(tmpdir(), 'beckon-bench-questions-'))
const scratch = new QuestionScratch({ folder: questions })
const duckdb = new KeptDuckDb({
  folder,
  scratch: questions,
  memoryMib,
  threads: THREADS,
  access: 'read',
  idleMs: 600_000,
})
try {
  const { database, brandId, url: databaseUrl } = server
  tell(`${events.toLocaleString('en')} events of ${people.toLocaleString('en')} people are stored`)
  await seedAnalytics(databaseUrl, { brandId, events, people })
  const { signal } = new AbortController()
  const config = { analyticsMemoryMib: memoryMib, eventRowsDays: null }
  const place = folderPlace(folder)
  const clock = { now: () => Date.now() }
  const frozenMs = await timed(async () => {
    while (!(await freezeRound({ databaseUrl, database, clock, log, config, place }, signal)).isFinished);
  })
  const { rows } = await database.query<{ bytes: number; count: number; files: number }>(
    `select sum(bytes)::double precision as bytes, sum(events)::double precision as count, count(*)::integer as files
     from event_files`,
  )
  const { bytes = 0, count = 0, files = 0 } = rows[0] ?? {}
  if (count !== events) throw new Error(`${count} of ${events} events are in files`)
  const perSecond = (events / frozenMs) * 1_000
  tell(`frozen in ${(frozenMs / 1_000).toFixed(1)} s, ${files} files of ${(bytes / 1e6).toFixed(1)} MB`)
  verdict(
    `freezing: ${Math.round(perSecond).toLocaleString('en')} events a second`,
    perSecond >= 50_000,
    '≥ 50 000',
  )
  verdict(`size: ${(bytes / events).toFixed(1)} bytes an event`, bytes / events <= 20, '≤ 20')

  saveFigure({
    what: `freezing ${events.toLocaleString('en')} events of ${people.toLocaleString('en')} people`,
    unit: 'events/s',
    ours: [perSecond],
    bar: { of: 'figure', atLeast: 50_000 },
    memoryMiB: peakMiB(process.pid),
  })
  saveFigure({
    what: 'size of a frozen event',
    unit: 'bytes',
    ours: [bytes / events],
    bar: { of: 'figure', atMost: 20 },
  })

  const plain = await PlainDuckDb.open({ folder, scratch: questions, memoryMib, threads: THREADS })
  await plain.savePeople(databaseUrl, { brandId, scratch: questions })
  const deps = { database, eventFiles: { folder, scratch, cache: null, duckdb, log } }
  const gains: number[] = []
  for (const question of analyticQuestions(seededTime(Date.now()))) {
    if (!question.name.includes(wanted)) continue
    const gain = await measureQuestion(question, { deps, duckdb, plain, brandId, rounds })
    if (gain !== null) gains.push(gain)
  }
  plain.close()
  const middle = { unit: '×', ours: gains, bar: { of: 'figure', atLeast: 5 } } as const
  const memory = duckdb.pid === null ? {} : { memoryMiB: peakMiB(duckdb.pid) }
  saveFigure({ ...middle, what: 'the same of all common questions (memory of DuckDB)', ...memory })
  verdict(`common questions: ${median(gains).toFixed(1)} × faster in the median`, median(gains) >= 5, '≥ 5 ×')
} finally {
  await duckdb.close()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  await rm(questions, { recursive: true, force: true })
}
