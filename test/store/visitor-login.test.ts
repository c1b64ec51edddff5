import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { Db } from '../../src/store/db.ts'
import { makeProfiles } from '../../src/store/people/profile-making.ts'
import { ensureVisitor, joinVisitor } from '../../src/store/people/visitors.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const { brandId } = await brand()

/** Enough on a quiet machine for a median that chance does not move by a third. */
const PAIRS = 40
/** Beside other tests chance moves it further, so more pairs are drawn. A true difference stays however many there are. */
const PAIRS_MAX = 800

type Login = { readonly statements: readonly string[]; readonly tookMs: number }

/** A new browser names a user, without proof, who is known or is not. */
async function logIn(kind: 'known' | 'unknown'): Promise<Login> {
  const userId = randomUUID()
  const visitorId = randomUUID()
  const now = Date.now()
  const statements: string[] = []
  if (kind === 'known') {
    await makeProfiles(database, { brandId, kind: 'user_id', values: [userId], createdAt: now - 1000 })
  }
  await database.asBrand(brandId, async (tx) => ensureVisitor(tx, { brandId, visitorId, createdAt: now }))
  const startedAt = performance.now()
  await database.asBrand(brandId, async (tx) => {
    const recording: Db = {
      query: async (statement, values) => {
        statements.push(typeof statement === 'string' ? statement : statement.text)
        return tx.query(statement, values)
      },
    }
    const outcome = await joinVisitor(recording, { brandId, visitorId, userId, isProved: false, now })
    assert.equal(outcome, 'joined')
  })
  const tookMs = performance.now() - startedAt
  assert.deepEqual(await namesBeside(visitorId), [userId])
  return { statements, tookMs }
}

/** The user ids of the browser's profile. */
async function namesBeside(visitorId: string): Promise<readonly string[]> {
  const { rows } = await database.query<{ value: string }>(
    `select other.value from profile_identities as browser join profile_identities as other
       using (brand_id, profile_id)
     where brand_id = $1 and browser.kind = 'visitor' and browser.value = $2 and other.kind = 'user_id'`,
    [brandId, visitorId],
  )
  return rows.map(({ value }) => value)
}

test('a login without proof runs the same statements for a known user and for an unknown one', async () => {
  const known = await logIn('known')
  const unknown = await logIn('unknown')
  assert.ok(known.statements.includes('release savepoint made'))
  assert.deepEqual(
    unknown.statements,
    known.statements.map((text) => (text === 'release savepoint made' ? 'rollback to savepoint made' : text)),
  )
})

test('a login without proof takes the same time for a known user and for an unknown one', async (context) => {
  const took: Readonly<Record<'known' | 'unknown', number[]>> = { known: [], unknown: [] }
  let ratio = 0
  const isEven = (): boolean => ratio > 2 / 3 && ratio < 3 / 2
  while (!isEven() && took.known.length < PAIRS_MAX) {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      for (const kind of ['known', 'unknown'] as const) took[kind].push((await logIn(kind)).tookMs)
    }
    ratio = median(took.known) / median(took.unknown)
  }
  context.diagnostic(`a known user takes ${ratio.toFixed(2)} of the time of an unknown one`)
  assert.ok(isEven(), `${ratio} after ${took.known.length} pairs`)
})

test('an unknown user who logs in without proof leaves no trace of a merge', async () => {
  const { rows: before } = await database.query('select from profile_merges where brand_id = $1', [brandId])
  await logIn('unknown')
  const { rows } = await database.query('select from profile_merges where brand_id = $1', [brandId])
  assert.equal(rows.length, before.length)
  const { rows: old } = await database.query(
    `select from profiles where brand_id = $1 and created_at < '2000-01-01'`,
    [brandId],
  )
  assert.deepEqual(old, [])
})

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
