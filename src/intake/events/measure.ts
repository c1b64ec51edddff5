import type { MeasuredCell } from '../../domain/events/query-answer.ts'
import { readsOfQuestion } from '../../domain/events/question-cost.ts'
import { partWeeks, type WeekParts, type WeeksRead, weeksRead } from '../../domain/events/week-parts.ts'
import type { Database } from '../../store/db.ts'
import { copyHotSql } from '../../store/event-files/hot-csv.ts'
import { cellOf, measureSteps } from '../../store/event-files/measure-files.ts'
import { copyPeopleSql, peopleNeeds } from '../../store/event-files/people-csv.ts'
import { hotMeasureColumns } from '../../store/event-files/read-events.ts'
import { type EventQuestion, measureEvents, PART_READ } from '../../store/events/measuring.ts'
import { loadWeeks } from '../../store/events/weeks.ts'
import { type AskDeps, askFiles, type QuestionWatch } from '../event-files/ask-files.ts'

type Measuring = QuestionWatch & { readonly question: Omit<EventQuestion, 'cuts'> }

/** Measures events. In rows a filter of people is asked as the engine, because row-level security would keep it from its indexes. */
export async function askMeasure(deps: AskDeps, measuring: Measuring): Promise<readonly MeasuredCell[]> {
  const cells = await measureFiles(deps, measuring)
  return cells ?? measureRows(deps.database, measuring)
}

/** Frozen weeks are read from their files, and all other events from rows; null if only rows can answer. */
export async function measureFiles(
  deps: AskDeps,
  { question, ...watch }: Measuring,
): Promise<readonly MeasuredCell[] | null> {
  const { brandId, fromAt, toAt } = question
  const rows = await askFiles(deps, {
    brandId,
    fromAt,
    toAt,
    ...watch,
    hot: (view) =>
      copyHotSql(
        {
          choice: question,
          attribute: null,
          parts: question.parts,
          names: null,
          columns: (binds) => hotMeasureColumns(question, binds),
        },
        view,
      ),
    people: copyPeopleSql(question),
    needs: peopleNeeds(question),
    cold: (cold) => measureSteps(question, cold),
  })
  return rows?.map(cellOf) ?? null
}

async function measureRows(
  database: Database,
  { question, signal, tell }: Measuring,
): Promise<readonly MeasuredCell[]> {
  const asked = { brandId: question.people === null ? question.brandId : null, signal }
  if (tell === null) {
    return database.asQuestion(asked, async (tx) => measureEvents(tx, { ...question, cuts: null }))
  }
  const count = partCounter(readsOfQuestion(question).length, tell)
  return database.asQuestion({ ...asked, onNotice: count.onNotice }, async (tx) => {
    const parts = partWeeks(await loadWeeks(tx), question)
    count.begin(parts)
    return measureEvents(tx, { ...question, cuts: parts.cuts })
  })
}

/** Counts the parts that were read. It begins anew when the question is asked again elsewhere. */
function partCounter(passes: number, tell: (weeks: WeeksRead) => void) {
  let parts: WeekParts | null = null
  let partsRead = 0
  const tellNow = (): void => {
    if (parts !== null) tell(weeksRead(parts, { passes, partsRead }))
  }
  return {
    begin: (planned: WeekParts): void => {
      parts = planned
      partsRead = 0
      tellNow()
    },
    onNotice: (message: string): void => {
      if (message !== PART_READ) return
      partsRead += 1
      tellNow()
    },
  }
}
