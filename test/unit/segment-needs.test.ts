import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventCondition } from '../../src/domain/segments/segment.ts'
import { Binds } from '../../src/store/bind.ts'
import { needsOf } from '../../src/store/event-needs.ts'
import { segmentSql } from '../../src/store/segments/sql.ts'

function pickOf(is: EventCondition['count']['is'], value: number) {
  const binds = new Binds()
  const filter: EventCondition = {
    kind: 'event',
    event: 'buy',
    count: { is, value },
    withinDays: 90,
    where: [],
  }
  segmentSql(filter, { brandId: 1, brand: '1', binds, now: 'now()', reach: 'everybody' })
  return needsOf(binds.values).map(({ pick }) => pick)
}

for (const [is, enough] of [
  ['gte', 2],
  ['lt', 2],
  ['gt', 3],
  ['lte', 3],
  ['eq', 3],
] as const) {
  test(`a segment "${is} 2" needs ${enough} dropped events of each person`, () => {
    assert.deepEqual(pickOf(is, 2), [{ kind: 'each', limit: enough }])
  })
}
