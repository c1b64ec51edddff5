import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ColdRows } from '../../src/store/event-files/cold-rows.ts'
import type { FileRows, FileStep } from '../../src/store/event-files/file-steps.ts'
import { peopleSteps } from '../../src/store/event-files/people-steps.ts'
import { coldReader, type FileQuestion } from '../../src/store/event-files/read-events.ts'
import type { EventPart } from '../../src/store/events/parts.ts'

const DAY_MS = 86_400_000
const DAYS = 100
const MILLION = { first: 1n, last: 1_000_000n }
/** A set of a million people has 16 blocks of 8 KiB. */
const SET_MIB = 1 / 8

/** A file for each day. */
const FILES = Array.from({ length: DAYS }, (_, day) => ({
  path: `day-${day}.parquet`,
  bytes: 1,
  sha256: '',
  leastAt: day * DAY_MS,
  greatestAt: (day + 1) * DAY_MS - 1,
  columns: [],
}))

function coldOf(sets: number): ColdRows {
  return {
    folder: '/files',
    view: {
      files: FILES,
      hasAlone: false,
      changed: [],
      late: [],
      erased: [],
      hot: [],
      people: MILLION,
    },
    csv: null,
    people: null,
    threadMib: sets * SET_MIB,
  }
}

function questionOf(parts: readonly EventPart[], groupsMax = 10): FileQuestion {
  return {
    brandId: 1,
    measure: 'people',
    attribute: null,
    eventName: null,
    where: [],
    people: null,
    percentile: 0.5,
    parts,
    groupsMax,
    edges: Array.from({ length: DAYS + 1 }, (_, day) => day * DAY_MS),
    spansBefore: 0,
    fromAt: 0,
    toAt: DAYS * DAY_MS,
    now: DAYS * DAY_MS,
  }
}

function stepsOf(question: FileQuestion, sets: number) {
  const cold = coldOf(sets)
  const read = coldReader(question, cold)
  assert.ok(read !== null)
  return peopleSteps(question, cold, read)
}

/** The statements, if each of them has these rows. */
function statementsOf(question: FileQuestion, sets: number, rows: FileRows = []): readonly FileStep[] {
  const steps = stepsOf(question, sets)
  assert.ok(steps !== null)
  const statements: FileStep[] = []
  for (let next = steps.next(); next.done !== true; next = steps.next(rows)) statements.push(next.value)
  return statements
}

/** A row of the answer about the people of a group in the present period. */
function groupRow(place: number, isBefore = false): FileRows[number] {
  return [place, [`sevent ${place}`], null, isBefore, '7', null, '2']
}

/** The days whose files a statement reads. */
function daysIn({ sql }: FileStep): ReadonlySet<string> {
  return new Set(sql.match(/day-\d+/g) ?? [])
}

const WAYS = {
  'without groups': [],
  'by event': [{ kind: 'event' }],
  'by an attribute of people': [{ kind: 'person', name: 'plan' }],
} as const satisfies Record<string, readonly EventPart[]>

for (const [name, parts] of Object.entries(WAYS)) {
  test(`people ${name}: the runs of spans read the files of each day once`, () => {
    const [periods, ...runs] = statementsOf(questionOf(parts), 40)
    assert.ok(periods !== undefined && runs.length > 1)
    assert.equal(daysIn(periods).size, DAYS)
    const read = runs.flatMap((run) => [...daysIn(run)])
    assert.equal(read.length, DAYS)
    assert.equal(new Set(read).size, DAYS)
  })

  test(`people ${name}: the work that was done grows from nothing to all`, () => {
    const statements = statementsOf(questionOf(parts), 40)
    assert.equal(statements.at(-1)?.work.to, 1)
    for (const [at, { work }] of statements.entries()) {
      assert.ok(work.from >= (statements[at - 1]?.work.to ?? 0))
      assert.ok(work.to > work.from)
    }
  })

  test(`people ${name}: without room for one span there are no steps`, () => {
    assert.equal(stepsOf(questionOf(parts), 0), null)
  })
}

test('a year without groups is one statement where its bits have room', () => {
  assert.equal(statementsOf(questionOf([]), DAYS).length, 1)
  assert.ok(statementsOf(questionOf([]), DAYS - 1).length > 1)
})

test('a run has as many spans as there is room for the bits of all groups that there are and the rest', () => {
  const question = questionOf([{ kind: 'event' }], 4)
  const daysOfRuns = (rows: FileRows): readonly number[] =>
    statementsOf(question, 50, rows)
      .slice(1)
      .map((run) => daysIn(run).size)
  const four = [1, 2, 3, 4].map((place) => groupRow(place))
  assert.deepEqual(
    daysOfRuns(four),
    Array.from({ length: 10 }, () => 10),
  )
  assert.deepEqual(daysOfRuns([groupRow(1)]), [25, 25, 25, 25])
})

test('a group of both periods is in a statement once', () => {
  const question = { ...questionOf([{ kind: 'person', name: 'plan' }]), spansBefore: 50 }
  const [, run] = statementsOf(question, 200, [groupRow(1), groupRow(1, true)])
  assert.equal(run?.sql.split("'sevent 1'").length, 2)
})

test('each cell of a shown group has the values of the group', () => {
  const steps = stepsOf(questionOf([{ kind: 'event' }], 4), 600)
  assert.ok(steps !== null)
  steps.next()
  steps.next([groupRow(1), [0, null, null, false, '3', null, '2']])
  const last = steps.next([
    [1, 7, '5'],
    [0, 7, '2'],
    [null, 7, '6'],
  ])
  assert.ok(last.done === true)
  const keys = last.value.map((row) => [row[0], row[1], row[2]])
  assert.deepEqual(keys.slice(2), [
    [1, ['sevent 1'], 7],
    [0, null, 7],
    [null, null, 7],
  ])
})

test('periods that have no room for both of them at once have no steps', () => {
  const year = questionOf([{ kind: 'event' }], 4)
  const question = { ...year, edges: year.edges.slice(0, 61) }
  assert.ok(stepsOf(question, 9) !== null)
  assert.equal(stepsOf({ ...question, spansBefore: 50 }, 9), null)
})

test('rows that are in no file are read only for the spans that they are in', () => {
  const cold = { ...coldOf(40), csv: '/questions/rows.csv' }
  const question = questionOf([{ kind: 'event' }])
  const read = coldReader(question, cold)
  assert.ok(read !== null)
  const steps = peopleSteps(question, cold, read)
  assert.ok(steps !== null)
  const statements: string[] = []
  for (let next = steps.next(); next.done !== true; ) {
    statements.push(next.value.sql)
    next = steps.next(next.value.sql.startsWith('select distinct span') ? [[95], [96]] : [])
  }
  const runs = statements.slice(2)
  assert.ok(runs.length > 2)
  for (const run of runs) assert.equal(run.includes('rows.csv'), run.includes('day-95.parquet'))
})

test('more groups than have room are counted by lists', () => {
  const numberMax = 50 - 5
  const many = [[-1, null, null, null, String(numberMax + 1), null, 0]]
  const few = [[-1, null, null, null, String(numberMax), null, 0]]
  const question = questionOf([{ kind: 'event' }], 4)
  assert.equal(statementsOf(question, 50, few).length + 2, statementsOf(question, 50, many).length)
})
