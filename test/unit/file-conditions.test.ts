import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Comparison } from '../../src/domain/segments/comparison.ts'
import { conditionSql } from '../../src/store/event-files/file-values.ts'

function sqlOf(comparison: Comparison): string {
  return conditionSql({ kind: 'attribute', attribute: 'city', comparison }, new Set()) ?? 'none'
}

test('a part of a text is looked for anywhere, and its beginning at the beginning', () => {
  const value = 'os'
  const contains = sqlOf({ kind: 'text', is: 'contains', value })
  const begins = sqlOf({ kind: 'text', is: 'starts_with', value })
  assert.match(contains, / and contains\(/)
  assert.match(begins, / and starts_with\(/)
  assert.equal(begins.replace(' and starts_with(', ' and contains('), contains)
})

test('presence and absence are opposites', () => {
  assert.match(sqlOf({ kind: 'presence', is: 'exists' }), / <> 'z'$/)
  assert.match(sqlOf({ kind: 'presence', is: 'missing' }), / = 'z'$/)
})
