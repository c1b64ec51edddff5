import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limiter, type LimiterOptions, type Permit, QueueFull } from '../../src/runtime/limits/limiter.ts'

const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('a request that does not fit waits its turn, and a request for more than all gets all', async () => {
  const limiter = new Limiter({ capacity: 10, waitersMax: 5, waitMs: 60_000 })
  const order: string[] = []
  const permits: Permit[] = []
  const all = [6, 99, 3].map(async (weight, at) => {
    permits[at] = await limiter.take({ weight })
    order.push(`${at}`)
  })
  await settle()
  assert.deepEqual(order, ['0'])
  permits[0]?.release()
  await settle()
  assert.deepEqual(order, ['0', '1'])
  assert.equal(permits[1]?.weight, 10)
  permits[1]?.release()
  permits[1]?.release()
  await Promise.all(all)
  assert.deepEqual(order, ['0', '1', '2'])
  assert.equal(limiter.taken, 3)
})

test('too many, or too long, is refused', async () => {
  const limiter = new Limiter({ capacity: 10, waitersMax: 1, waitMs: 1 })
  await limiter.take({ weight: 10 })
  const waiting = limiter.take()
  await assert.rejects(limiter.take(), QueueFull)
  await assert.rejects(waiting, QueueFull)
})

test('nobody waits where waiting is not allowed', async () => {
  const limiter = new Limiter({ capacity: 2 })
  const first = limiter.tryTake()
  assert.ok(first !== null && limiter.tryTake() !== null)
  assert.equal(limiter.isFull, true)
  assert.equal(limiter.tryTake(), null)
  await assert.rejects(limiter.take(), QueueFull)
  first.release()
  assert.equal(limiter.taken, 1)
  assert.ok(limiter.tryTake() !== null)
})

test('a heavy request is not passed by lighter ones, and when it gives up they go on at once', async () => {
  const limiter = new Limiter({ capacity: 10, waitersMax: 5, waitMs: 60_000 })
  await limiter.take({ weight: 6 })
  const left = new AbortController()
  const heavy = limiter.take({ key: 'heavy', weight: 8, signal: left.signal })
  const light = limiter.take({ key: 'light', weight: 2 })
  await settle()
  assert.equal(limiter.taken, 6)
  assert.equal(limiter.tryTake(), null)
  left.abort(new Error('hung up'))
  await assert.rejects(heavy, /hung up/)
  await light
  assert.equal(limiter.taken, 8)
})

test('a request that has left never gets a permit, and one that has its permit keeps it', async () => {
  const limiter = new Limiter({ capacity: 1, waitersMax: 5, waitMs: 60_000 })
  const leaving = new AbortController()
  const first = await limiter.take({ signal: leaving.signal })
  const second = limiter.take({ signal: leaving.signal })
  const third = limiter.take()
  leaving.abort(new Error('hung up'))
  await assert.rejects(second, /hung up/)
  await assert.rejects(limiter.take({ signal: leaving.signal }), /hung up/)
  assert.equal(limiter.taken, 1)
  first.release()
  assert.equal((await third).weight, 1)
})

test('keys take turns, however many of one key came first', async () => {
  const { enter, inside } = guests({ capacity: 1, keyCapacity: 1 })
  const all = ['a', 'a', 'a', 'b', 'c'].map(enter)
  const order: string[] = []
  for (let left = all.length; left > 0; left--) {
    await settle()
    const [key = ''] = inside
    order.push(key)
    all.find((guest) => guest.key === key && guest.isInside())?.leave()
  }
  assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a'])
  await Promise.all(all.map(async ({ left }) => left))
})

const OPTIONS = { capacity: 3, keyCapacity: 2, waitersMax: 10, waitMs: 60_000 }

/** Somebody who stays inside until told to leave. */
function guests(options: Partial<LimiterOptions> = {}) {
  const limiter = new Limiter({ ...OPTIONS, ...options })
  const inside: string[] = []
  const enter = (key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isInside = false
    const left = limiter.run({ key }, async () => {
      inside.push(key)
      isInside = true
      await promise.finally(() => {
        inside.splice(inside.indexOf(key), 1)
        isInside = false
      })
    })
    return { key, left, leave: resolve, fail: reject, isInside: () => isInside }
  }
  return { enter, inside }
}

test('continued work goes before the others of its key, and after the turns of other keys', async () => {
  const limiter = new Limiter({ capacity: 1, waitersMax: 1, waitMs: 60_000 })
  const order: string[] = []
  const enter = async (name: string, isContinued: boolean): Promise<void> => {
    const [key = ''] = name
    const permit = await limiter.take({ key, isContinued })
    order.push(name)
    permit.release()
  }
  const first = await limiter.take({ key: 'a' })
  const waiting = [enter('a other', false), enter('b', false)]
  // There is no room for one more of the key to wait, and the work goes on all the same.
  waiting.push(enter('a continued', true))
  first.release()
  await Promise.all(waiting)
  assert.deepEqual(order, ['a continued', 'b', 'a other'])
})

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
  const { enter, inside } = guests({ keyCapacity: 1 })
  const [bad, good] = [enter('a'), enter('a')]
  bad.fail(new Error('broken'))
  await assert.rejects(bad.left, /broken/)
  await settle()
  assert.deepEqual(inside, ['a'])
  good.leave()
  await good.left
})

test('too many of one key, or too long a wait, is refused; a place that was not had is not given back', async () => {
  const { enter, inside } = guests({ keyCapacity: 1, waitersMax: 1, waitMs: 1 })
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
