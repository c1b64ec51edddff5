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

/** A commit that waits for its standby ends at once when it is cancelled, and is reported although it is on one machine. */
test('nothing cancels or ends a session of the database from outside, as it may be committing', () => {
  const cancels = /pg_cancel_backend|pg_terminate_backend|\bclient\.cancel\(|transaction_timeout/
  assert.deepEqual(
    readSources('src/**/*.ts')
      .filter(({ text }) => cancels.test(text))
      .map(({ path }) => path),
    [],
  )
})
