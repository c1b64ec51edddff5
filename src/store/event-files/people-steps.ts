import type { ColdRows } from './cold-rows.ts'
import { type FileRows, type FileStep, type FileSteps, oneStep } from './file-steps.ts'
import { bitsSql, peopleOfSpansSql, peopleSetsMax, spanRuns } from './people-bits.ts'
import { countByEvents } from './people-by-events.ts'
import { countByPersons } from './people-by-persons.ts'
import { largestOf, PERIODS_WORK, type PeopleCount } from './people-count.ts'
import { hasRoomForFound, peopleOfFoundSql } from './people-of-found.ts'
import { type ColdReader, type FileQuestion, hotSpansSql, type Reading, type SpanRun } from './read-events.ts'

/** Each statement takes a tenth of a second at least, and all of them have 15 seconds. */
const RUNS_MAX = 80

/**
 * Counts people with a bit for each person in each group and span. The periods are counted first, and then the spans, in runs with as many
 * spans as the memory has room for. A run reads the files of its time only, so many runs take hardly longer than one. Null if the bits have no
 * room.
 */
export function peopleSteps(question: FileQuestion, cold: ColdRows, read: ColdReader): FileSteps | null {
  const { parts, people, edges, groupsMax, spansBefore } = question
  const spans = edges.length - 1
  if (parts.length === 0 && spans <= peopleSetsMax(cold))
    return oneStep(peopleOfSpansSql(read().events, spansBefore))
  if (parts.length > 0 && people !== null && hasRoomForFound(question, cold))
    return oneStep(peopleOfFoundSql(question, read()))
  const count = countOf(question, cold, read)
  const least = count.spansMax(groupsMax)
  return least < 1 || spans > RUNS_MAX * least ? null : countSteps(question, cold, count)
}

function countOf(question: FileQuestion, cold: ColdRows, read: ColdReader): PeopleCount {
  if (question.parts.length === 0) return countUndivided(question, cold, read)
  const areOfPeople = question.parts.every(({ kind }) => kind === 'person')
  return areOfPeople ? countByPersons(question, cold, read) : countByEvents(question, cold, read)
}

function* countSteps(question: FileQuestion, cold: ColdRows, count: PeopleCount): FileSteps {
  const { edges, spansBefore } = question
  const answer = [...(yield* count.periods)]
  const groups = answer[0]?.[GROUPS_CELL] ?? 0
  // A group has a row for each period.
  const byPlace = new Map(answer.flatMap(largestOf).map((group) => [group.place, group]))
  const largest = [...byPlace.values()]
  const hotSpans = yield* loadHotSpans(question, cold)
  const runs = spanRuns(edges.length - 1, count.spansMax(largest.length))
  const workAt = (done: number): number => PERIODS_WORK + ((1 - PERIODS_WORK) * done) / runs.length
  for (const [run, spans] of runs.entries()) {
    const sql = count.spansSql(reading(spans, hotSpans), largest)
    const rows = yield { sql, work: { from: workAt(run), to: workAt(run + 1) } }
    for (const [place = null, span = null, people = null] of rows) {
      const tags = byPlace.get(Number(place))?.tags ?? null
      answer.push([place, tags, span, Number(span) <= spansBefore, people, null, groups])
    }
  }
  return answer
}

/** The place of the number of all groups in a row of the answer. */
const GROUPS_CELL = 6

/** The CSV is read from its beginning to its end each time, so it is only read for spans that it has events of. */
function* loadHotSpans(
  question: FileQuestion,
  cold: ColdRows,
): Generator<FileStep, readonly number[], FileRows> {
  const sql = hotSpansSql(cold, question)
  if (sql === null) return []
  const rows = yield { sql, work: { from: PERIODS_WORK, to: PERIODS_WORK } }
  return rows.map(([span]) => Number(span))
}

function reading(spans: SpanRun, hotSpans: readonly number[]): Reading {
  const isHot = hotSpans.some((span) => span >= spans.first && span <= spans.last)
  return isHot ? { spans } : { spans, of: 'files' }
}

/** People without groups, in more spans than the memory has room for. */
function countUndivided({ spansBefore }: FileQuestion, cold: ColdRows, read: ColdReader): PeopleCount {
  return {
    periods: undividedPeriods(undividedSql(read().events, `span <= ${spansBefore}`)),
    spansMax: () => peopleSetsMax(cold),
    spansSql: (run) => undividedSql(read(run).events, 'span'),
  }
}

function undividedSql(events: string, per: string): string {
  const people = `select ${per} as per, profile_id from (${events})`
  return `select null, per, sum(bit_count(people))::varchar from (${bitsSql(people, ['per'])}) group by per`
}

function* undividedPeriods(sql: string): FileSteps {
  const rows = yield { sql, work: { from: 0, to: PERIODS_WORK } }
  return rows.map(([, isBefore = null, people = null]) => [null, null, null, isBefore, people, null, 0])
}
