import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import {
  arrangeRetention,
  type RetentionCell,
  type RetentionLine,
} from '../../src/domain/events/retention-answer.ts'
import type { EventPart } from '../../src/store/events/parts.ts'
import { loadRetention } from '../../src/store/events/retention.ts'
import { freshDatabase } from '../support/database/database.ts'
import { checkOnRandomPeople, DAY_MS, groupText, SPAN } from '../support/people/random-people.ts'
import { NOW, type Person } from '../support/segments/segments.ts'

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
    const query = { brandId, timeZone: 'UTC', ...asked, division: null }
    const rows = await database.asBrand(brandId, async (tx) => loadRetention(tx, query))
    assert.deepEqual(rows.map(cellOf), lookedAt(people, asked))
  })
})

function cellOf({ cohort, period, users }: RetentionCell): string {
  return `${cohort} ${period} ${users}`
}

function lookedAt(people: readonly Person[], asked: Asked): readonly string[] {
  const cells = people.flatMap((person) => cellsOf(person, asked))
  return [...Map.groupBy(cells, (cell) => cell)].map(([cell, same]) => `${cell} ${same.length}`).toSorted()
}

/** The cohort of one person, and each period in which they were there. */
function cellsOf(person: Person, asked: Asked): readonly string[] {
  const stay = stayOf(person, asked)
  if (stay === null) return []
  const day = new Date(FIRST_MS[asked.unit] + stay.cohort * lengthMs(asked)).toISOString().slice(0, 10)
  return [...stay.periods].map((period) => `${day} ${period}`)
}

/** The number of the period in which a person started, and the periods after it in which they were there. */
type Stay = {
  readonly cohort: number
  readonly periods: ReadonlySet<number>
  readonly start: Person['events'][number]
}

function stayOf({ events }: Person, asked: Asked): Stay | null {
  const since = events.filter(({ at }) => at >= asked.fromAt)
  const named = (name: string | null) => since.filter((event) => name === null || event.name === name)
  const [start] = named(asked.startEvent)
    .filter(({ at }) => at < asked.toAt)
    .toSorted((one, other) => one.at - other.at)
  if (start === undefined) return null
  const cohort = placeOf(start.at, asked)
  const periods = named(asked.returnEvent).map(({ at }) => placeOf(at, asked) - cohort)
  return {
    cohort,
    start,
    periods: new Set([0, ...periods.filter((period) => period > 0 && period < asked.periods)]),
  }
}

function placeOf(at: number, asked: Asked): number {
  return Math.floor((at - FIRST_MS[asked.unit]) / lengthMs(asked))
}

function lengthMs({ unit }: Asked): number {
  return unit === 'day' ? DAY_MS : 7 * DAY_MS
}

const PARTS = fc.constantFrom<readonly EventPart[]>(
  [{ kind: 'attribute', name: 'a' }],
  [{ kind: 'person', name: 'a' }, { kind: 'event' }],
)

test('SQL counts the people of each group as whoever looks at each of them by hand', async () => {
  const divided = fc.tuple(ASKED, PARTS)
  await checkOnRandomPeople({ database, brand }, divided, async ({ brandId, people }, [asked, parts]) => {
    const division = { parts, groupsMax: 1_000, today: new Date(NOW).toISOString().slice(0, 10) }
    const query = { brandId, timeZone: 'UTC', ...asked, division }
    const cells = await database.asBrand(brandId, async (tx) => loadRetention(tx, query))
    const { groups, rest } = arrangeRetention(cells, asked.periods)
    assert.equal(rest, null)
    const stays = people.flatMap((person) => {
      const stay = stayOf(person, asked)
      return stay === null ? [] : [{ stay, key: groupText(keyOf(person, stay, parts)) }]
    })
    assert.deepEqual(
      new Map(groups.map(({ key, line }) => [groupText(key), line])),
      new Map(
        [...Map.groupBy(stays, ({ key }) => key)].map(([key, own]) => [
          key,
          lineOf(
            own.map(({ stay }) => stay),
            asked,
          ),
        ]),
      ),
    )
    assert.deepEqual(cells.filter(({ group }) => group === null).map(cellOf), lookedAt(people, asked))
  })
})

test('groups that are not shown are one', async () => {
  const { brandId } = await brand()
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select ($2::bigint << 21) + place, place, to_timestamp($2::double precision / 1000), $1, false, 'buy', 1,
       jsonb_build_object('a', place / 2)
     from generate_series(0, 4) as place`,
    [brandId, NOW],
  )
  const division = {
    parts: [{ kind: 'attribute', name: 'a' }],
    groupsMax: 1,
    today: new Date(NOW).toISOString().slice(0, 10),
  } as const
  const range = { fromAt: NOW - DAY_MS, toAt: NOW + DAY_MS }
  const query = { brandId, startEvent: 'buy', returnEvent: null, unit: 'day', periods: 2, ...range } as const
  const cells = await database.asBrand(brandId, async (tx) =>
    loadRetention(tx, { ...query, timeZone: 'UTC', division }),
  )
  const line = { started: [2n, 0n], returned: [2n, null] }
  assert.deepEqual(arrangeRetention(cells, 2), {
    groups: [{ key: [0], line: { users: 2n, ...line } }],
    rest: { groups: 2, line: { users: 3n, started: [3n, 0n], returned: [3n, null] } },
  })
})

function keyOf(person: Person, { start }: Stay, parts: readonly EventPart[]): readonly unknown[] {
  return parts.map((part) => {
    if (part.kind === 'event') return start.name
    return (part.kind === 'person' ? person.attributes : start.attributes)['a'] ?? null
  })
}

function lineOf(stays: readonly Stay[], asked: Asked): RetentionLine {
  const today = placeOf(NOW, asked)
  const started = Array.from(
    { length: asked.periods },
    (_, period) => stays.filter(({ cohort }) => period === 0 || today - cohort >= period).length,
  )
  const returned = started.map((count, period) =>
    count === 0 ? null : BigInt(stays.filter(({ periods }) => periods.has(period)).length),
  )
  return { users: BigInt(stays.length), started: started.map(BigInt), returned }
}

/** Days are counted from any, weeks from a Monday. */
const FIRST_MS = { day: 0, week: Date.parse('2026-01-05T00:00:00Z') } as const
