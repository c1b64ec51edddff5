import type { ColdRows } from './cold-rows.ts'
import { type FileSteps, oneStep } from './file-steps.ts'
import { bitsSql, peopleOfSpansSql, peopleSetsMax, spanRuns } from './people-bits.ts'
import { countByEvents } from './people-by-events.ts'
import { countByPersons } from './people-by-persons.ts'
import { largestOf, type PeopleCount } from './people-count.ts'
import type { EventReader, FileQuestion } from './read-events.ts'

/** The share of the work of a question that its periods are. */
const PERIODS_WORK = 0.5
/** Each statement takes a tenth of a second at least. */
const RUNS_MAX = 200

/**
 * Counts people with a bit for each person in each group and span. The spans are counted in runs, with as many of them as the memory has room
 * for. A run reads the files of its time only, so each file is read about twice, however many runs there are. Null if the bits have no room.
 */
export function peopleSteps(question: FileQuestion, cold: ColdRows, read: EventReader): FileSteps | null {
  const spans = question.edges.length - 1
  if (question.parts.length === 0 && spans <= peopleSetsMax(cold))
    return oneStep(peopleOfSpansSql(read().events, question.spansBefore))
  const count = countOf(question, cold, read)
  const isTooLong = count.spansMax < 1 || spans > RUNS_MAX * count.spansMax
  return isTooLong ? null : countSteps(question, count)
}

function countOf(question: FileQuestion, cold: ColdRows, read: EventReader): PeopleCount {
  if (question.parts.length === 0) return countUndivided(question, cold, read)
  const areOfPeople = question.parts.every(({ kind }) => kind === 'person')
  return areOfPeople ? countByPersons(question, cold, read) : countByEvents(question, cold, read)
}

function* countSteps(
  { edges, spansBefore }: FileQuestion,
  { periods, spansMax, spansSql }: PeopleCount,
): FileSteps {
  const answer = [...(yield* periods)]
  const groups = answer[0]?.[GROUPS_CELL] ?? 0
  const largest = answer.flatMap(largestOf)
  const runs = spanRuns(edges.length - 1, spansMax)
  const workAt = (done: number): number => PERIODS_WORK + ((1 - PERIODS_WORK) * done) / runs.length
  for (const [run, spans] of runs.entries()) {
    const rows = yield { sql: spansSql(spans, largest), work: { from: workAt(run), to: workAt(run + 1) } }
    for (const [place = null, span = null, people = null] of rows)
      answer.push([place, null, span, Number(span) <= spansBefore, people, null, groups])
  }
  return answer
}

/** The place of the number of all groups in a row of the answer. */
const GROUPS_CELL = 6

/** People without groups, in more spans than the memory has room for. */
function countUndivided({ spansBefore }: FileQuestion, cold: ColdRows, read: EventReader): PeopleCount {
  return {
    periods: undividedPeriods(undividedSql(read().events, `span <= ${spansBefore}`)),
    spansMax: peopleSetsMax(cold),
    spansSql: (spans) => undividedSql(read({ spans }).events, 'span'),
  }
}

function undividedSql(events: string, per: string): string {
  return `select null, per, sum(bit_count(people))::varchar
    from (${bitsSql(`select ${per} as per, profile_id from (${events})`, ['per'])}) group by per`
}

function* undividedPeriods(sql: string): FileSteps {
  const rows = yield { sql, work: { from: 0, to: PERIODS_WORK } }
  return rows.map(([, isBefore = null, people = null]) => [null, null, null, isBefore, people, null, 0])
}
