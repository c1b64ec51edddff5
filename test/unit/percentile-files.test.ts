import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMib as threadMibOf } from '../../src/runtime/duckdb/memory.ts'
import { hasRoomForNumbers } from '../../src/store/event-files/percentile-files.ts'

const PERCENTILE = { parts: [] } as const
/** Of 512 MiB with two threads. */
const threadMib = threadMibOf({ memoryMib: 512, threads: 2, access: 'read' })

test('a percentile keeps its numbers while they fit into the memory of two threads', () => {
  const room = (events: number): boolean => hasRoomForNumbers(PERCENTILE, { events, threadMib })
  assert.equal(room(2_150_000), true)
  assert.equal(room(2_200_000), false)
  const groups = { ...PERCENTILE, parts: [{ kind: 'event' }] } as const
  assert.equal(hasRoomForNumbers(groups, { events: 850_000, threadMib }), true)
  assert.equal(hasRoomForNumbers(groups, { events: 900_000, threadMib }), false)
})
