import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenForShutdown } from '../../src/runtime/processes/shutdown.ts'

test('the first signal drains, its echo does nothing, a later one hurries', (context) => {
  let now = 0
  const listeners = process.listeners('SIGTERM')
  const { signal, hurry } = listenForShutdown(() => now)
  context.after(() => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      for (const added of process.listeners(name)) if (!listeners.includes(added)) process.off(name, added)
    }
  })
  assert.equal(signal.aborted, false)
  process.emit('SIGINT')
  assert.deepEqual([signal.aborted, hurry.aborted], [true, false])
  now = 999
  process.emit('SIGTERM')
  assert.equal(hurry.aborted, false)
  now = 1_000
  process.emit('SIGINT')
  assert.equal(hurry.aborted, true)
})
