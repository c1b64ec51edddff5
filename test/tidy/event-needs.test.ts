import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const STORE = join(import.meta.dirname, '../../src/store')

/** Files that read or change events and need none of those whose rows are dropped, and why. */
const NONE = {
  'campaigns/goals.ts': 'reads batches, which are read before their week is frozen',
  'event-files/dropping.ts': 'drops rows',
  'event-files/frozen-view.ts': 'looks at rows of changed events, which are there',
  'event-files/frozen-weeks.ts': 'looks for weeks that are not frozen',
  'event-files/hot-csv.ts': 'copies what is in no file',
  'event-files/hot-rows.ts': 'copies rows; its callers show dropped ones',
  'event-files/shadow.ts': 'brings dropped events',
  'events/active-quarters.ts': 'reads batches, and counts again after an undone merge, which made rows',
  'events/batch.ts': 'stores events',
  'events/counting.ts': 'reads batches',
  'events/tail.ts': 'reads batches',
  'people/counts-back.ts': 'follows an undone merge, which made rows',
  'people/person.ts': 'reads batches that are not counted yet',
  'people/timeline-sources.ts': 'timeline.ts says what is needed',
  'segments/known-names.ts': 'a name that was counted is in event_names',
  'series/active-people.ts': 'follows an undone merge, which made rows',
  'series/events.ts': 'reads batches',
} as const

test('every statement about events says which it needs, or why it needs none without rows', async () => {
  const forgotten: string[] = []
  const files = (await readdir(STORE, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const readers: string[] = []
  for (const file of files) {
    const text = await readFile(join(STORE, file), 'utf8')
    if (!/(?:from|join|update|into) (?:public\.)?events\b/.test(text)) continue
    readers.push(file)
    if (!(file in NONE) && !text.includes('needing(')) forgotten.push(file)
  }
  assert.deepEqual(forgotten, [])
  assert.deepEqual(
    Object.keys(NONE).filter((file) => !readers.includes(file)),
    [],
    'a file that reads no events needs no excuse',
  )
})
