import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeaseKeeper } from '../../src/runtime/loop/lease.ts'
import { LoopTask } from '../../src/runtime/loop/task.ts'
import { FakeTime, settled } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'

const LEASE_MS = 15_000

test('a keeper sleeps while nothing is leased, and renews what is leased after a third of its time', async () => {
  const time = new FakeTime()
  const log = memoryLog()
  const renewedAt: number[] = []
  const lease = {
    ms: LEASE_MS,
    idOf: (item: number) => item,
    renew: async (items: readonly number[]) => {
      renewedAt.push(time.elapsed())
      return items
    },
    release: async () => undefined,
  }
  const work = { name: 'test', claim: async () => [], work: async () => '', settle: async () => undefined }
  const loop = { ...work, lease, concurrency: 1, idle: { minMs: 1, maxMs: 1 } }
  const task = new LoopTask({ loop, item: 1, time, log, slot: { leave: () => undefined } })
  const keeper = new LeaseKeeper<number, string>(lease, time, log)
  const stop = new AbortController()
  const running = keeper.run(stop.signal)

  await time.pass(10 * LEASE_MS)
  assert.deepEqual(time.asked, [])
  const leasedAt = time.elapsed()
  keeper.keep(task, leasedAt)
  await time.pass(LEASE_MS)
  assert.deepEqual(
    renewedAt.map((at) => at - leasedAt),
    [5_000, 10_000, 15_000],
  )
  keeper.drop(task)
  await time.pass(LEASE_MS)
  const asked = time.asked.length
  await time.pass(10 * LEASE_MS)
  assert.equal(time.asked.length, asked)
  assert.equal(renewedAt.length, 3)
  stop.abort()
  await settled()
  await running
})
