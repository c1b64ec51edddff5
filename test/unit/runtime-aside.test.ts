import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Aside } from '../../src/runtime/loop/aside.ts'
import { runLoop } from '../../src/runtime/loop/run.ts'
import { FakeTime } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'

/** A loop over two items, of which `bad` fails a few times; it gives when each was tried, and what was logged. */
async function runTwo(failures: number) {
  const time = new FakeTime()
  const stop = new AbortController()
  const log = memoryLog()
  const aside = new Aside<string>((item) => `the ${item} one`, time)
  const tries: { readonly item: string; readonly at: number }[] = []
  const left = new Set(['bad', 'good'])
  const running = runLoop(
    {
      name: 'two',
      claim: async () => [...left].filter((item) => !aside.items().includes(item)).slice(0, 1),
      work: async (item) => {
        tries.push({ item, at: time.elapsed() })
        if (item === 'bad' && tries.filter((one) => one.item === 'bad').length <= failures)
          throw new Error('bad')
        left.delete(item)
      },
      settle: async () => undefined,
      lease: null,
      aside,
      concurrency: 1,
      idle: { minMs: 10, maxMs: 10 },
    },
    { signal: stop.signal, log, meters: { items: () => undefined, seconds: () => undefined }, time },
  )
  await time.pass(10_000)
  stop.abort()
  await running
  const triedAt = (wanted: string) => tries.flatMap(({ item, at }) => (item === wanted ? [at] : []))
  return { bad: triedAt('bad'), good: triedAt('good'), lines: log.lines }
}

test('nobody waits for what failed without a lease', async () => {
  const { good } = await runTwo(3)
  assert.deepEqual(good, [0])
})

test('what failed without a lease is tried again, each time later', async () => {
  const { bad } = await runTwo(3)
  const waits = bad.slice(1).map((at, index) => at - (bad[index] ?? 0))
  assert.deepEqual(waits, [200, 400, 800])
})

test('the log names what failed without a lease', async () => {
  const { lines } = await runTwo(1)
  const said = lines.filter(({ message }) => message === 'work failed')
  assert.deepEqual(
    said.map(({ fields }) => fields['item']),
    ['the bad one'],
  )
})
