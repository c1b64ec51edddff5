import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSources } from './source.ts'

/** `limit` is part of a name where it is part of the text, because a name stands for one text. */
const NAME = /^[a-z]+(?:_[a-z]+)*(?:_\$\{limit\})?$/

test('the name of a prepared statement is in snake_case, and no two statements share one', () => {
  const names = readSources('src/store/**/*.ts').flatMap(({ text }) =>
    [...text.matchAll(/name: (['`])(.+?)\1,\s*text\b/g)].map(([, , name = '']) => name),
  )
  assert.ok(names.length > 15, `found ${names.length}`)
  assert.deepEqual(
    names.filter((name) => !NAME.test(name)),
    [],
  )
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted())
})
