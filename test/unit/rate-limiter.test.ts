import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter } from '../../src/http/edge/rate-limit.ts'
import type { HitRequest, HitsTaken } from '../../src/store/rate-limit.ts'

const BUCKET = { brandId: 1, path: '/send', policy: 'push' } as const

test('requests that come while a question is on its way ask together', async () => {
  const asked: number[] = []
  const answers: PromiseWithResolvers<HitsTaken>[] = []
  const limiter = new RateLimiter(async ({ wanted }: HitRequest) => {
    asked.push(wanted)
    const answer = Promise.withResolvers<HitsTaken>()
    answers.push(answer)
    return answer.promise
  })
  const first = limiter.take(BUCKET)
  const others = Promise.all([limiter.take(BUCKET), limiter.take(BUCKET), limiter.take(BUCKET)])
  answers[0]?.resolve({ granted: 1, remaining: 2, freesInMs: 60_000 })
  assert.equal((await first).remaining, 2)
  answers[1]?.resolve({ granted: 2, remaining: 0, freesInMs: 50_000 })
  assert.deepEqual(
    (await others).map(({ isGranted, remaining }) => ({ isGranted, remaining })),
    [
      { isGranted: true, remaining: 1 },
      { isGranted: true, remaining: 0 },
      { isGranted: false, remaining: 0 },
    ],
  )
  assert.deepEqual(asked, [1, 3])
})

test('a question that fails, fails for all who wait on it, and for nobody after', async () => {
  let calls = 0
  const limiter = new RateLimiter(async () => {
    calls += 1
    if (calls < 3) throw new Error('away')
    return { granted: 1, remaining: 1, freesInMs: 1 }
  })
  const outcomes = await Promise.allSettled([
    limiter.take(BUCKET),
    limiter.take(BUCKET),
    limiter.take(BUCKET),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.equal((await limiter.take(BUCKET)).isGranted, true)
})

test('buckets do not wait for each other', async () => {
  const limiter = new RateLimiter(async ({ brandId }) => {
    if (brandId === 1) await new Promise(() => undefined)
    return { granted: 1, remaining: 1, freesInMs: 1 }
  })
  void limiter.take(BUCKET)
  assert.equal((await limiter.take({ ...BUCKET, brandId: 2 })).isGranted, true)
  assert.equal((await limiter.take({ ...BUCKET, path: '/other', brandId: 3 })).isGranted, true)
})
