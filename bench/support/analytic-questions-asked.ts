import type { AskDeps } from '../../src/intake/event-files/ask-files.ts'
import { errorCode, reasonOf } from '../../src/runtime/errors.ts'
import type { AnalyticQuestion } from './analytic-question.ts'
import { saveFigure } from './figures.ts'
import type { KeptDuckDb } from './kept-duckdb.ts'
import { median } from './median.ts'
import type { PlainDuckDb } from './plain-duckdb.ts'
import { assertSameAnswer } from './same-answer.ts'
import { verdict } from './verdict.ts'

type Asking = {
  readonly deps: AskDeps
  /** The DuckDB of `deps`. */
  readonly duckdb: KeptDuckDb
  readonly plain: PlainDuckDb
  readonly brandId: number
  readonly rounds: number
}

/** Asks a question of Beckon, of a plain DuckDB, and a common question also of the rows. Returns how many times as long as Beckon rows take, or null. */
export async function measureQuestion(question: AnalyticQuestion, asking: Asking): Promise<number | null> {
  const { name, isCommon, ask, sql } = question
  const { deps, duckdb, plain, brandId, rounds } = asking
  const { signal } = new AbortController()
  const [ours, alone, rowsMs]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round <= rounds; round += 1) {
    duckdb.failure = null
    const own = await timed(async () => ask(deps, { brandId, signal }).catch(unlessTooLong))
    if (duckdb.failure !== null || own.value === null) {
      // The other questions are asked all the same.
      verdict(`${name}: ${reasonOf(duckdb.failure)}`, false, 'an answer from files')
      return null
    }
    // A process that is worn is replaced after its answer. The limit is measured when the next one has started.
    await duckdb.run({ sql: 'select 1' }, { timeoutMs: 60_000, rowsMax: 1 })
    const limit = await timed(async () => plain.run(sql))
    // An answer that is not the same would have a time that means nothing.
    assertSameAnswer(name, own.value, limit.value)
    const rows = isCommon ? await timed(async () => askRows(question, asking)) : null
    // The first round warms all of them.
    if (round === 0) continue
    ours.push(own.ms)
    alone.push(limit.ms)
    if (rows !== null) rowsMs.push(rows.ms)
  }
  saveFigure({
    what: name,
    unit: 'ms',
    ours,
    ...(isCommon && { peer: { name: 'the rows of PostgreSQL', rounds: rowsMs } }),
    limit: { name: 'DuckDB alone', rounds: alone },
    bar: { of: 'limit', atMost: 3 },
  })
  const [own, limit] = [median(ours), median(alone)]
  const shown = `${name}: ${fixed(own)} ms, DuckDB alone ${fixed(limit)}`
  verdict(`${shown} → ${(own / limit).toFixed(2)} × of the limit`, own <= 3 * limit, '≤ 3 ×')
  return isCommon ? judgeRows(name, { ours, rowsMs }) : null
}

function judgeRows(name: string, { ours, rowsMs }: Record<'ours' | 'rowsMs', readonly number[]>): number {
  saveFigure({
    what: `${name}: rows take so many times as long`,
    unit: '×',
    ours: ours.map((each, round) => (rowsMs[round] ?? 0) / each),
    bar: { of: 'figure', atLeast: 3 },
  })
  const gain = median(rowsMs) / median(ours)
  verdict(
    `${name}: ${gain.toFixed(1)} × faster than rows, which take ${fixed(median(rowsMs))} ms`,
    gain >= 3,
    '≥ 3 ×',
  )
  return gain
}

/** Rows that take longer than a question may count with the time of the limit. */
async function askRows({ ask }: AnalyticQuestion, { deps, brandId }: Asking): Promise<void> {
  const { signal } = new AbortController()
  await ask({ ...deps, eventFiles: null }, { brandId, signal }).catch(unlessTooLong)
}

function unlessTooLong(cause: unknown): null {
  if (errorCode(cause) !== '57014') throw cause
  return null
}

async function timed<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly ms: number; readonly value: Value }> {
  const begunAt = performance.now()
  const value = await work()
  return { ms: performance.now() - begunAt, value }
}

function fixed(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0)
}
