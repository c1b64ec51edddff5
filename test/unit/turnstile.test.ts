import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueFull } from '../../src/runtime/limits/queue-full.ts'
import { Turnstile, type TurnstileOptions } from '../../src/runtime/limits/turnstile.ts'

const OPTIONS = { placesMax: 3, placesOfOneMax: 2, waitersMax: 10, waitMs: 60_000 }
const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Somebody who stays inside until told to leave. */
function guests(options: Partial<TurnstileOptions> = {}) {
  const turnstile = new Turnstile({ ...OPTIONS, ...options })
  const inside: string[] = []
  const enter = (key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const left = turnstile.pass(key, async () => {
      inside.push(key)
      await promise.finally(() => inside.splice(inside.indexOf(key), 1))
    })
    return { left, leave: resolve, fail: reject }
  }
  return { enter, inside }
}

test('a crowd of one key waits for itself, and another walks past it', async () => {
  const { enter, inside } = guests()
  const crowd = Array.from({ length: 8 }, () => enter('a'))
  const other = enter('b')
  await settle()
  assert.deepEqual(inside, ['a', 'a', 'b'])
  crowd[0]?.leave()
  await settle()
  assert.deepEqual(inside.toSorted(), ['a', 'a', 'b'])
  for (const { leave } of [...crowd, other]) leave()
  await Promise.all([...crowd, other].map(async ({ left }) => left))
  assert.deepEqual(inside, [])
})

test('there are never more inside than there are places', async () => {
  const { enter, inside } = guests()
  const all = ['a', 'b', 'c', 'd', 'e'].map(enter)
  await settle()
  assert.deepEqual(inside, ['a', 'b', 'c'])
  all[1]?.leave()
  await settle()
  assert.deepEqual(inside, ['a', 'c', 'd'])
  for (const { leave } of all) leave()
  await Promise.all(all.map(async ({ left }) => left))
})

test('whoever fails leaves their place, and the failure is theirs', async () => {
  const { enter, inside } = guests({ placesOfOneMax: 1 })
  const [bad, good] = [enter('a'), enter('a')]
  bad.fail(new Error('broken'))
  await assert.rejects(bad.left, /broken/)
  await settle()
  assert.deepEqual(inside, ['a'])
  good.leave()
  await good.left
})

test('too many of one key, or too long a wait, is refused; a place that was not had is not given back', async () => {
  const { enter, inside } = guests({ placesOfOneMax: 1, waitersMax: 1, waitMs: 1 })
  const first = enter('a')
  const second = enter('a')
  await assert.rejects(enter('a').left, QueueFull)
  await assert.rejects(second.left, QueueFull)
  assert.deepEqual(inside, ['a'])
  first.leave()
  await first.left
  const next = enter('a')
  await settle()
  assert.deepEqual(inside, ['a'])
  next.leave()
  await next.left
})
