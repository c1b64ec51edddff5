/**
 * Questions about a year of a hundred million events, and about the last tenth of it: their time, and the most memory that DuckDB and our own
 * process ever had. The events are written straight to files. `BENCH_EVENTS`, `BENCH_PEOPLE` and `BENCH_ANALYTICS_MEMORY` set other numbers.
 */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { WEEK_MS } from '../src/domain/events/week.ts'
import { ROUTES } from '../src/http/routes.ts'
import { QuestionScratch } from '../src/intake/event-files/question-scratch.ts'
import { reasonOf } from '../src/runtime/errors.ts'
import { createLog } from '../src/runtime/log.ts'
import { analyticQuestions } from './support/analytic-questions.ts'
import { startBenchServer } from './support/bench-server.ts'
import { saveFigure } from './support/figures.ts'
import { generateFiles } from './support/generated-files.ts'
import { KeptDuckDb } from './support/kept-duckdb.ts'
import { peakMiB } from './support/processes.ts'
import { treeCpu } from './support/tree-cpu.ts'
import { verdict } from './support/verdict.ts'

const events = Number(process.env['BENCH_EVENTS'] ?? 100_000_000)
const people = Number(process.env['BENCH_PEOPLE'] ?? 1_000_000)
const memoryMib = Number(process.env['BENCH_ANALYTICS_MEMORY'] ?? 512)
const WEEKS = 50
/** How many times the memory for a tenth of the events all of them may take. */
const GROWTH_MAX = 2

const server = await startBenchServer(ROUTES, 'select 1')
const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-files-'))
const questions = await mkdtemp(join(tmpdir(), 'beckon-bench-questions-'))
const log = createLog({ level: 'error', process: 'bench' })
const { database, brandId } = server
const open = (access: 'read' | 'write'): KeptDuckDb =>
  new KeptDuckDb({
    folder,
    scratch: questions,
    memoryMib,
    threads: availableParallelism(),
    access,
    idleMs: 600_000,
  })
try {
  await generate()
  const tenth = await ask(WEEKS / 10)
  const all = await ask(WEEKS)
  for (const [at, { what, ms, failure }] of all.answers.entries()) {
    const less = tenth.answers[at]?.ms ?? null
    verdict(
      `${what}: ${ms === null ? reasonOf(failure) : shown(ms)}, ${shown(less)} for a tenth of the time`,
      ms !== null,
      'an answer from files',
    )
    if (ms !== null)
      saveFigure({ what: `${what}, ${events.toLocaleString('en')} events`, unit: 'ms', ours: [ms] })
  }
  saveFigure({
    what: 'most memory of DuckDB for these questions',
    unit: 'MiB',
    ours: [all.peakMiB],
    bar: { of: 'figure', atMost: memoryMib },
  })
  verdict(
    `most memory ${all.peakMiB.toFixed(0)} MiB for all events, ${tenth.peakMiB.toFixed(0)} MiB for a tenth`,
    all.peakMiB <= memoryMib,
    `at most ${memoryMib} MiB, however many events`,
  )
  judgeGrowth('memory of DuckDB', all.peakMiB, tenth.peakMiB)
  judgeGrowth('memory of our process', all.ownPeakMiB, tenth.ownPeakMiB)
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  await rm(questions, { recursive: true, force: true })
}

async function generate(): Promise<void> {
  const duckdb = open('write')
  try {
    const begunAt = performance.now()
    const { bytes } = await generateFiles({ database, duckdb, folder, brandId, events, people, weeks: WEEKS })
    const seconds = (performance.now() - begunAt) / 1_000
    process.stdout.write(
      `       ${events.toLocaleString('en')} events in files of ${(bytes / 1e6).toFixed(0)} MB, written in ${seconds.toFixed(0)} s\n`,
    )
  } finally {
    await duckdb.close()
  }
}

/**
 * Memory that grew with events would be tenfold but for its fixed part: Node, DuckDB and the buffers of its threads. Twice as much is
 * left to what does grow with a longer time: the spans of the answer, the people in each of them, and the files that are open.
 */
function judgeGrowth(what: string, allMiB: number, tenthMiB: number): void {
  saveFigure({
    what: `most ${what}, beside a tenth of the events`,
    unit: 'MiB',
    ours: [allMiB],
    limit: { name: 'a tenth of the events', rounds: [tenthMiB] },
    bar: { of: 'limit', atMost: GROWTH_MAX },
  })
  verdict(
    `${what}: ${allMiB.toFixed(0)} MiB, ${tenthMiB.toFixed(0)} MiB for a tenth of the events`,
    allMiB <= GROWTH_MAX * tenthMiB,
    `≤ ${GROWTH_MAX} ×`,
  )
}

type Answer = {
  readonly what: string
  /** Null for a question that files could not answer. */
  readonly ms: number | null
  readonly failure: unknown
}

type Asked = {
  readonly answers: readonly Answer[]
  /** Of DuckDB's process. */
  readonly peakMiB: number
  /** Of this process, which asks as an API process does. */
  readonly ownPeakMiB: number
}

/** Asks every question about the last weeks, of a DuckDB of their own. */
async function ask(weeks: number): Promise<Asked> {
  const { signal } = new AbortController()
  const duckdb = open('read')
  const scratch = new QuestionScratch({ folder: questions })
  const now = Date.now()
  const answers: Answer[] = []
  const peaks: number[] = []
  forgetPeak()
  try {
    // The last week ended two weeks ago, or three at most.
    const time = { fromAt: now - (weeks + 3) * WEEK_MS, toAt: now }
    for (const { name: what, ask: answer } of analyticQuestions(time)) {
      const begunAt = performance.now()
      duckdb.failure = null
      const eventFiles = { folder, scratch, cache: null, duckdb, log }
      const refusal = await answer({ database, eventFiles }, { brandId, signal }).then(
        () => null,
        (cause: unknown) => cause,
      )
      const failure = duckdb.failure ?? refusal
      answers.push({ what, failure, ms: failure === null ? performance.now() - begunAt : null })
      const child = treeCpu(process.pid).find(({ name }) => name.includes('duckdb'))
      if (child !== undefined) peaks.push(peakMiB(child.pid))
    }
    return { answers, peakMiB: Math.max(...peaks), ownPeakMiB: peakMiB(process.pid) }
  } finally {
    await duckdb.close()
  }
}

/** The peak of this process begins anew, on Linux: the files were written by it. */
function forgetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
}

function shown(ms: number | null): string {
  return ms === null ? 'no answer' : `${ms.toFixed(0)} ms`
}
