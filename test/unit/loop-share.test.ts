import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopShare } from '../../src/runtime/limits/loop-share.ts'

/** Keeps the loop busy for longer than a slice may last. */
function work(): void {
  const until = performance.now() + 12
  while (performance.now() < until);
}

test('between two slices of a long computation the loop serves others', async () => {
  let turns = 0
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await new LoopShare().run({ key: 'a' }, async ({ pass }) => {
    for (let step = 0; step < 10; step += 1) {
      work()
      await pass()
    }
  })
  clearImmediate(timer)
  assert.ok(turns >= 10, String(turns))
})

test('of one brand one computation runs at a time, and another brand does not wait for it', async () => {
  const share = new LoopShare()
  const { promise: stopped, resolve: go } = Promise.withResolvers<void>()
  const done: string[] = []
  const first = share.run({ key: 'a' }, async () => stopped)
  const second = share.run({ key: 'a' }, async () => void done.push('a'))
  await share.run({ key: 'b' }, async () => void done.push('b'))
  assert.deepEqual(done, ['b'])
  go()
  await Promise.all([first, second])
  assert.deepEqual(done, ['b', 'a'])
})
