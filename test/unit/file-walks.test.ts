import assert from 'node:assert/strict'
import { test } from 'node:test'
import { funnelFilesSql } from '../../src/store/event-files/funnel-files.ts'
import { retentionFilesSql, retentionNames } from '../../src/store/event-files/retention-files.ts'
import { statsRowOf } from '../../src/store/event-files/stats-files.ts'
import type { EventPart } from '../../src/store/events/parts.ts'

const COLD = {
  folder: '/files',
  view: {
    files: [{ path: 'week.parquet', bytes: 1, sha256: '' }],
    columns: new Set<string>(),
    changed: [],
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
