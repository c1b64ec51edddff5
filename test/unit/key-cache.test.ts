import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundCaller } from '../../src/http/edge/auth.ts'
import { cacheKeys } from '../../src/http/edge/key-cache.ts'

const CALLER: FoundCaller = {
  brandId: 1,
  brandExternalId: 'acme',
  scopes: ['push'],
  allowedOrigins: [],
  timeZone: 'UTC',
  profileMerging: false,
  restorableUntil: null,
  actor: { type: 'key', keyId: 1, kind: 'secret' },
}

const hashOf = (name: number): Uint8Array => Uint8Array.from([name])

test('requests that come together with one key share one question', async () => {
  let asked = 0
  const { promise, resolve } = Promise.withResolvers<FoundCaller | null>()
  const { find } = cacheKeys(
    async () => {
      asked += 1
      return promise
    },
    { clock: { now: () => 0 }, keepMs: 10, entriesMax: 10 },
  )
  const answers = [find(hashOf(1)), find(hashOf(1)), find(hashOf(1))]
  resolve(CALLER)
  assert.deepEqual(await Promise.all(answers), [CALLER, CALLER, CALLER])
  assert.equal(asked, 1)
})

test('an answer is old from the moment its question was sent, right keys and wrong keys alike', async () => {
  for (const answer of [CALLER, null]) {
    let now = 0
    let asked = 0
    const { find } = cacheKeys(
      async () => {
        asked += 1
        now += 4
        return answer
      },
      { clock: { now: () => now }, keepMs: 10, entriesMax: 10 },
    )
    await find(hashOf(1))
    now = 9
    await find(hashOf(1))
    assert.equal(asked, 1)
    now = 10
    assert.equal(await find(hashOf(1)), answer)
    assert.equal(asked, 2)
  }
})

test('a caller who is gone when looked up anew is gone for everybody', async () => {
  let answer: FoundCaller | null = CALLER
  const { find, findAnew } = cacheKeys(async () => answer, {
    clock: { now: () => 0 },
    keepMs: 10,
    entriesMax: 10,
  })
  assert.equal(await find(hashOf(1)), CALLER)
  answer = null
  assert.equal(await findAnew(hashOf(1)), null)
  assert.equal(await find(hashOf(1)), null)
})

test('a flood of wrong keys pushes no right key out', async () => {
  const asked: number[] = []
  const { find } = cacheKeys(
    async (hash) => {
      asked.push(hash[0] ?? 0)
      return hash[0] === 0 ? CALLER : null
    },
    { clock: { now: () => 0 }, keepMs: 10, entriesMax: 3 },
  )
  await find(hashOf(0))
  for (let name = 1; name < 100; name++) await find(hashOf(name))
  assert.equal(await find(hashOf(0)), CALLER)
  assert.equal(asked.filter((name) => name === 0).length, 1)
  await find(hashOf(1))
  assert.equal(asked.filter((name) => name === 1).length, 2, 'the oldest wrong key was forgotten')
})

test('a question that fails is not remembered', async () => {
  let asked = 0
  const { find } = cacheKeys(
    async () => {
      asked += 1
      if (asked === 1) throw new Error('away')
      return CALLER
    },
    { clock: { now: () => 0 }, keepMs: 10, entriesMax: 10 },
  )
  await assert.rejects(find(hashOf(1)), /away/)
  assert.equal(await find(hashOf(1)), CALLER)
})

test('when all is forgotten, a key is asked for anew, also one whose answer is still on its way', async () => {
  const answers = [Promise.withResolvers<FoundCaller | null>(), Promise.withResolvers<FoundCaller | null>()]
  let asked = 0
  const { find, forget } = cacheKeys(
    async () => {
      asked += 1
      return answers[asked - 1]?.promise ?? null
    },
    { clock: { now: () => 0 }, keepMs: 10, entriesMax: 10 },
  )
  const before = find(hashOf(1))
  forget()
  const after = find(hashOf(1))
  answers[1]?.resolve(null)
  assert.equal(await after, null)
  answers[0]?.resolve(CALLER)
  assert.equal(await before, CALLER)
  assert.equal(await find(hashOf(1)), null)
  assert.equal(asked, 2)
  forget()
  assert.equal(await find(hashOf(1)), null)
  assert.equal(asked, 3)
})
