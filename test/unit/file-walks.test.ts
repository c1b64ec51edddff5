import assert from 'node:assert/strict'
import { test } from 'node:test'
import { funnelFilesSql } from '../../src/store/event-files/funnel-files.ts'
import { pathFilesSql } from '../../src/store/event-files/path-files.ts'
import { personTag } from '../../src/store/event-files/people-csv.ts'
import { retentionFilesSql, retentionNames } from '../../src/store/event-files/retention-files.ts'
import { statsFilesSql, statsRowOf } from '../../src/store/event-files/stats-files.ts'
import type { EventPart } from '../../src/store/events/parts.ts'

const COLD = {
  folder: '/files',
  view: {
    files: [{ path: 'week.parquet', bytes: 1, sha256: '', leastAt: 0, greatestAt: 0, columns: [] }],
    hasAlone: false,
    changed: [],
    late: [],
    erased: [],
    hot: [],
    people: { first: 1n, last: 9n },
  },
  csv: null,
  people: null,
  threadMib: 100,
} as const
const RANGE = { brandId: 1, fromAt: 0, toAt: 86_400_000, groupsMax: 9 } as const
const RETENTION = { ...RANGE, unit: 'day', periods: 4, timeZone: 'UTC' } as const

function areOfFiles(part: EventPart): readonly boolean[] {
  const parts = [part]
  const funnel = { ...RANGE, steps: ['see', 'buy'], excluded: [], withinMs: 1_000, parts }
  const division = { parts, groupsMax: 9, today: '2026-11-15' }
  const retention = { ...RETENTION, startEvent: 'see', returnEvent: 'buy', division }
  return [funnelFilesSql(funnel, COLD) !== null, retentionFilesSql(retention, COLD) !== null]
}

test('groups by a place of a list are asked of rows, and those by a name of files', () => {
  assert.deepEqual(areOfFiles({ kind: 'context', path: ['page', 'title'] }), [true, true])
  assert.deepEqual(areOfFiles({ kind: 'context', path: ['pages', '0'] }), [false, false])
})

function names(startEvent: string | null, returnEvent: string | null): readonly string[] | null {
  return retentionNames({ ...RETENTION, startEvent, returnEvent, division: null })
}

test('a retention reads the events of its two names, and all where one of them is any', () => {
  assert.deepEqual(names('see', 'buy'), ['see', 'buy'])
  assert.deepEqual(names('buy', 'buy'), ['buy'])
  assert.deepEqual([names(null, 'buy'), names('see', null), names(null, null)], [null, null, null])
})

function keyOf(by: 'day' | 'hour' | 'name' | 'attribute', key: string): unknown {
  return statsRowOf(by, [key, '1', '1', '0']).key
}

test('statistics name a day, an hour, and a value or none', () => {
  const day = Date.UTC(2026, 10, 15) / 86_400_000
  assert.equal(keyOf('day', String(day)), '2026-11-15')
  assert.equal(keyOf('hour', String(day * 24 + 13)), '2026-11-15 13:00')
  assert.equal(keyOf('name', 'sbuy'), 'buy')
  assert.equal(keyOf('attribute', 'n5'), 5)
})

test('a part about people has a column by its place among those parts', () => {
  const [plan, city] = ['plan', 'city'].map((name) => ({ kind: 'person', name }) as const)
  assert.ok(plan !== undefined && city !== undefined)
  const parts = [{ kind: 'event' }, plan, city] as const
  assert.equal(personTag(parts, plan), `coalesce(t0, 'z')`)
  assert.equal(personTag(parts, city), `coalesce(t1, 'z')`)
})

function isOfFiles(equals: string | null): boolean {
  const attribute = { name: 'a', equals }
  const filter = { ...RANGE, userId: null, eventName: null, attribute }
  return statsFilesSql({ filter, by: 'name', timeZone: 'UTC', attribute: '', limit: 9 }, COLD) !== null
}

test('statistics of one value are of files where the value is plain, and of rows otherwise', () => {
  for (const equals of ['"x"', '5', '12345678901234567890', 'true', null])
    assert.equal(isOfFiles(equals), true, String(equals))
  for (const equals of ['{"x": 1}', '[1]', 'null']) assert.equal(isOfFiles(equals), false, equals)
})

test('paths are counted without windows, at which DuckDB sometimes ends', () => {
  const sql = pathFilesSql({ ...RANGE, startEvent: 'buy', depth: 3, withinMs: 3_600_000, pathsMax: 3 }, COLD)
  assert.doesNotMatch(sql, /\bover\s*\(/)
})
