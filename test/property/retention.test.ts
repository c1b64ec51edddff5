import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { loadRetention, type RetentionRow } from '../../src/store/events/retention.ts'
import { freshDatabase } from '../support/database/database.ts'
import { checkOnRandomPeople, DAY_MS, SPAN } from '../support/people/random-people.ts'
import type { Person } from '../support/segments/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NAME = fc.constantFrom('buy', 'see', null)

type Asked = {
  readonly startEvent: string | null
  readonly returnEvent: string | null
  readonly unit: 'day' | 'week'
  readonly periods: number
  readonly fromAt: number
  readonly toAt: number
}

const ASKED: fc.Arbitrary<Asked> = fc.record(
  {
    startEvent: NAME,
    returnEvent: NAME,
    unit: fc.constantFrom('day', 'week'),
    periods: fc.constantFrom(1, 2, 5),
    ...SPAN,
  },
  { noNullPrototype: true },
)

test('SQL counts who came back as whoever looks at each person by hand', async () => {
  await checkOnRandomPeople({ database, brand }, ASKED, async ({ brandId, people }, asked) => {
    const query = { brandId, timeZone: 'UTC', ...asked }
    const rows = await database.asBrand(brandId, async (tx) => loadRetention(tx, query))
    assert.deepEqual(rows.map(cellOf), lookedAt(people, asked))
  })
})

function cellOf({ cohort, period, users }: RetentionRow): string {
  return `${cohort} ${period} ${users}`
}

function lookedAt(people: readonly Person[], asked: Asked): readonly string[] {
  const cells = people.flatMap((person) => cellsOf(person, asked))
  return [...Map.groupBy(cells, (cell) => cell)].map(([cell, same]) => `${cell} ${same.length}`).toSorted()
}

/** The cohort of one person, and each period in which they were there. */
function cellsOf({ events }: Person, asked: Asked): readonly string[] {
  const lengthMs = asked.unit === 'day' ? DAY_MS : 7 * DAY_MS
  const placesOf = (name: string | null, toAt: number): readonly number[] =>
    events
      .filter((event) => name === null || event.name === name)
      .filter(({ at }) => at >= asked.fromAt && at < toAt)
      .map(({ at }) => Math.floor((at - FIRST_MS[asked.unit]) / lengthMs))
  const cohort = Math.min(...placesOf(asked.startEvent, asked.toAt))
  if (cohort === Number.POSITIVE_INFINITY) return []
  const periods = placesOf(asked.returnEvent, Number.POSITIVE_INFINITY).map((place) => place - cohort)
  const seen = new Set([0, ...periods.filter((period) => period > 0 && period < asked.periods)])
  const day = new Date(FIRST_MS[asked.unit] + cohort * lengthMs).toISOString().slice(0, 10)
  return [...seen].map((period) => `${day} ${period}`)
}

/** Days are counted from any, weeks from a Monday. */
const FIRST_MS = { day: 0, week: Date.parse('2026-01-05T00:00:00Z') } as const
