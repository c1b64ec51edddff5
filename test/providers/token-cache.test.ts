import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthToken, type Minted, TokenCache, type TokenRecipe } from '../../src/providers/token-cache.ts'
import { COOL_DOWN_RULES } from '../../src/rules/push.ts'
import { memoryTokens } from './memory-tokens.ts'
import { type TestClock, testClock } from './support.ts'

const MINUTE_MS = 60_000

/** Mints numbered tokens: renewed after 50 minutes, dead after 60. */
function openMint(clock: TestClock) {
  let count = 0
  const recipe: TokenRecipe = {
    name: 'token',
    mint: async () => {
      count += 1
      const value = `token ${count}`
      await Promise.resolve()
      const now = clock.now()
      const times = { mintedAt: now, renewAt: now + 50 * MINUTE_MS, expiresAt: now + 60 * MINUTE_MS }
      return { kind: 'token', token: { value, ...times } }
    },
  }
  return { recipe, minted: () => count }
}

function valueOf(minted: Minted): string {
  return minted.kind === 'token' ? minted.token.value : minted.verdict.kind
}

function tokenOf(minted: Minted): AuthToken {
  assert.ok(minted.kind === 'token')
  return minted.token
}

test('many askers at once wait for one minting', async () => {
  const clock = testClock()
  const { recipe, minted } = openMint(clock)
  const cache = new TokenCache(memoryTokens(), clock)
  const values = await Promise.all(Array.from({ length: 100 }, async () => valueOf(await cache.get(recipe))))
  assert.deepEqual([...new Set(values)], ['token 1'])
  assert.equal(minted(), 1)
})

test('processes that share a store share a token, also when both mint at the same moment', async () => {
  const clock = testClock()
  const { recipe, minted } = openMint(clock)
  const store = memoryTokens()
  const [one, other] = [new TokenCache(store, clock), new TokenCache(store, clock)]
  const values = await Promise.all([one.get(recipe), other.get(recipe)])
  assert.deepEqual(values.map(valueOf), ['token 1', 'token 1'])
  assert.equal(valueOf(await new TokenCache(store, clock).get(recipe)), 'token 1')
  assert.equal(minted(), 2)
})

test('a token is renewed when its time has come, and not before', async () => {
  const clock = testClock()
  const { recipe } = openMint(clock)
  const cache = new TokenCache(memoryTokens(), clock)
  await cache.get(recipe)
  clock.advance(50 * MINUTE_MS - 1)
  assert.equal(valueOf(await cache.get(recipe)), 'token 1')
  clock.advance(1)
  assert.equal(valueOf(await cache.get(recipe)), 'token 2')
})

test('a refused token is renewed once for all who were refused with it, in every process', async () => {
  const clock = testClock()
  const { recipe, minted } = openMint(clock)
  const store = memoryTokens()
  const [one, other] = [new TokenCache(store, clock), new TokenCache(store, clock)]
  const refused = tokenOf(await one.get(recipe))
  await other.get(recipe)
  const renewed = await Promise.all([one.renew(recipe, refused), one.renew(recipe, refused)])
  assert.deepEqual(renewed.map(valueOf), ['token 2', 'token 2'])
  assert.equal(valueOf(await other.renew(recipe, refused)), 'token 2')
  assert.equal(minted(), 2)
})

test('when minting fails, an old token serves until it expires, and then the verdict is told', async () => {
  const clock = testClock()
  const { recipe } = openMint(clock)
  const verdict = { kind: 'retry', reason: 'down', waitMs: 0, scope: 'credential' } as const
  let asked = 0
  const broken: TokenRecipe = {
    name: recipe.name,
    mint: async () => {
      asked += 1
      return { kind: 'none', verdict }
    },
  }
  const cache = new TokenCache(memoryTokens(), clock, { elapsed: () => clock.now(), random: () => 0.5 })
  await cache.get(recipe)
  clock.advance(59 * MINUTE_MS)
  for (let send = 0; send < 10; send += 1) assert.equal(valueOf(await cache.get(broken)), 'token 1')
  assert.equal(asked, 1)
  clock.advance(MINUTE_MS)
  assert.deepEqual(await cache.get(broken), { kind: 'none', verdict: { ...verdict, waitMs: 400 } })
})

test('after a failed minting the next one waits, longer each time, and a wait that was asked for is kept to', async () => {
  const clock = testClock()
  let asked = 0
  let waitMs = 0
  const recipe: TokenRecipe = {
    name: 'token',
    mint: async () => {
      asked += 1
      return { kind: 'none', verdict: { kind: 'retry', reason: 'down', waitMs, scope: 'credential' } }
    },
  }
  const cache = new TokenCache(memoryTokens(), clock, { elapsed: () => clock.now(), random: () => 0.5 })
  const told = async (): Promise<number> => {
    const minted = await cache.get(recipe)
    return minted.kind === 'none' && minted.verdict.kind === 'retry' ? minted.verdict.waitMs : -1
  }
  for (const [index, expected] of [200, 400, 800, 1600].entries()) {
    assert.equal(await told(), expected)
    clock.advance(expected - 1)
    assert.equal(await told(), 1)
    assert.equal(asked, index + 1)
    clock.advance(1)
  }
  waitMs = 28 * 86_400_000
  assert.equal(await told(), COOL_DOWN_RULES.waitMsMax)
  clock.advance(COOL_DOWN_RULES.waitMsMax)
  waitMs = 0
  for (let failure = 0; failure < 20; failure += 1) clock.advance(await told())
  assert.equal(await told(), MINUTE_MS)
})

test('a refused credential is asked for again at once, because it may have been set right', async () => {
  const clock = testClock()
  let asked = 0
  const recipe: TokenRecipe = {
    name: 'token',
    mint: async () => {
      asked += 1
      return { kind: 'none', verdict: { kind: 'paused', reason: 'invalid_grant' } }
    },
  }
  const cache = new TokenCache(memoryTokens(), clock)
  for (let send = 0; send < 3; send += 1) assert.equal(valueOf(await cache.get(recipe)), 'paused')
  assert.equal(asked, 3)
})
