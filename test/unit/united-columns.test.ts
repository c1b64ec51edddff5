import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileColumnName } from '../../src/domain/events/file-columns.ts'
import type { ColdRows } from '../../src/store/event-files/cold-rows.ts'
import { funnelFilesSql } from '../../src/store/event-files/funnel-files.ts'
import { pathFilesSql } from '../../src/store/event-files/path-files.ts'
import { retentionFilesSql } from '../../src/store/event-files/retention-files.ts'
import type { EventPart } from '../../src/store/events/parts.ts'

const DAY_MS = 86_400_000
const PLAN: EventPart = { kind: 'attribute', name: 'plan' }
const TIME = { brandId: 1, fromAt: 0, toAt: 30 * DAY_MS, withinMs: DAY_MS } as const
const PLAN_COLUMN = fileColumnName({ attribute: 'plan', kind: 'string' })
const COLD: ColdRows = {
  folder: '/files',
  view: {
    files: [
      {
        path: 'a.parquet',
        bytes: 1,
        sha256: '',
        leastAt: 0,
        greatestAt: 30 * DAY_MS,
        columns: [PLAN_COLUMN],
      },
      {
        path: 'b.parquet',
        bytes: 1,
        sha256: '',
        leastAt: 0,
        greatestAt: 30 * DAY_MS,
        columns: [PLAN_COLUMN],
      },
    ],
    hasAlone: false,
    changed: [],
    late: [],
    erased: [],
    hot: [],
    people: { first: 1n, last: 10n },
  },
  csv: null,
  people: null,
  threadMib: 50,
}

/** The places where a statement reads files, and those of them where it unites columns. */
function readsIn(sql: string | null): readonly [number, number] {
  assert.ok(sql !== null)
  return [sql.split('read_parquet(').length - 1, sql.split('union_by_name = true').length - 1]
}

test('a funnel unites the columns of files only for the parts of the first step', () => {
  const asked = { ...TIME, steps: ['a', 'b', 'c'], excluded: ['d'], groupsMax: 5 }
  assert.deepEqual(readsIn(funnelFilesSql({ ...asked, parts: [] }, COLD)), [2, 0])
  assert.deepEqual(readsIn(funnelFilesSql({ ...asked, parts: [{ kind: 'event' }] }, COLD)), [2, 0])
  assert.deepEqual(readsIn(funnelFilesSql({ ...asked, parts: [PLAN] }, COLD)), [2, 1])
})

test('a retention unites them only for the parts of starts, and paths never do', () => {
  const asked = {
    ...TIME,
    startEvent: 'a',
    returnEvent: null,
    unit: 'week',
    periods: 4,
    timeZone: 'UTC',
  } as const
  const reads = (parts: readonly EventPart[]) =>
    readsIn(retentionFilesSql({ ...asked, division: { parts, groupsMax: 5, today: '2026-05-17' } }, COLD))
  assert.deepEqual(readsIn(retentionFilesSql({ ...asked, division: null }, COLD)), [1, 0])
  assert.deepEqual(reads([{ kind: 'event' }]), [2, 0])
  assert.deepEqual(reads([PLAN]), [2, 1])
  assert.deepEqual(readsIn(pathFilesSql({ ...TIME, startEvent: 'a', depth: 3, pathsMax: 5 }, COLD)), [1, 0])
})

test('a statement names no column that only files of another time have', () => {
  const later = { path: 'later.parquet', bytes: 1, sha256: '', leastAt: 31 * DAY_MS, greatestAt: 40 * DAY_MS }
  const plain = { path: 'a.parquet', bytes: 1, sha256: '', leastAt: 0, greatestAt: DAY_MS, columns: [] }
  const cold = { ...COLD, view: { ...COLD.view, files: [plain, { ...later, columns: [PLAN_COLUMN] }] } }
  const sql = funnelFilesSql(
    { ...TIME, withinMs: 20 * DAY_MS, steps: ['a', 'b'], excluded: [], parts: [PLAN], groupsMax: 5 },
    cold,
  )
  assert.ok(sql !== null && sql.includes('later.parquet'), 'second steps may be in it')
  assert.ok(!sql.includes(PLAN_COLUMN))
})
