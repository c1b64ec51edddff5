import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sha256 } from '../../src/runtime/secrets/crypto.ts'
import { Database, type Db } from '../../src/store/db.ts'
import { type OnceOutcome, runOnce } from '../../src/store/idempotency.ts'
import { purgeAged } from '../../src/store/purge-aged.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { startProcess } from '../support/processes/killable-process.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const NOW = Date.parse('2026-01-01T00:00:00Z')
const DAY_MS = 86_400_000

/** Work that leaves a trace in the same transaction: a secret's row, since any tenant table will do. */
async function leaveTrace(tx: Db, brandId: number): Promise<void> {
  await tx.query(
    `insert into sealed_secrets (brand_id, kind, key_id, nonce, ciphertext, updated_at)
     values ($1, gen_random_uuid()::text, '', '', '', now())`,
    [brandId],
  )
}

async function countTraces(brandId: number): Promise<number> {
  return (await database.query('select from sealed_secrets where brand_id = $1', [brandId])).count
}

type Call = {
  readonly brandId: number
  readonly body?: string
  readonly now?: number
  readonly isKept?: boolean
}

async function call({ brandId, body = 'a', now = NOW, isKept = true }: Call): Promise<OnceOutcome<unknown>> {
  return database.asBrand(brandId, async (tx) =>
    runOnce(tx, { brandId, key: 'order-7', requestHash: sha256(body), now }, async () => {
      await leaveTrace(tx, brandId)
      return { reply: { body, id: 9_223_372_036_854_775_807n }, isKept }
    }),
  )
}

test('the same request again gets the stored reply, digit for digit, and does nothing', async () => {
  const { brandId } = await brand()
  const reply = { body: 'a', id: 9_223_372_036_854_775_807n }
  assert.deepEqual(await call({ brandId }), { kind: 'done', reply })
  assert.deepEqual(await call({ brandId }), { kind: 'replay', reply })
  assert.equal(await countTraces(brandId), 1)
})

test('the same key with another request is a mismatch, and in another brand it is free', async () => {
  const [one, other] = [await brand(), await brand()]
  await call({ brandId: one.brandId })
  assert.deepEqual(await call({ brandId: one.brandId, body: 'b' }), { kind: 'mismatch' })
  assert.equal((await call({ brandId: other.brandId, body: 'b' })).kind, 'done')
})

test('a key is free again after 24 hours, and not a millisecond sooner', async () => {
  const { brandId } = await brand()
  await call({ brandId })
  assert.equal((await call({ brandId, now: NOW + DAY_MS - 1 })).kind, 'replay')
  assert.equal((await call({ brandId, body: 'b', now: NOW + DAY_MS })).kind, 'done')
  assert.equal((await call({ brandId, body: 'b', now: NOW + DAY_MS })).kind, 'replay')
})

test('a refusal is not kept, so the key can be used again', async () => {
  const { brandId } = await brand()
  await call({ brandId, isKept: false })
  assert.equal((await call({ brandId, body: 'b' })).kind, 'done')
})

test('work that throws leaves neither a trace nor a reply', async () => {
  const { brandId } = await brand()
  const request = { brandId, key: 'order-7', requestHash: sha256('a'), now: NOW }
  const broken = database.asBrand(brandId, async (tx) =>
    runOnce(tx, request, async () => {
      await leaveTrace(tx, brandId)
      throw new Error('broke')
    }),
  )
  await assert.rejects(broken, /broke/)
  assert.equal(await countTraces(brandId), 0)
  assert.equal((await call({ brandId })).kind, 'done')
})

test('a second caller is told that the first is running, without waiting for it', async () => {
  const { brandId } = await brand()
  const request = { brandId, key: 'order-7', requestHash: sha256('a'), now: NOW }
  await database.asBrand(brandId, async (tx) =>
    runOnce(tx, request, async () => {
      assert.deepEqual(await call({ brandId }), { kind: 'running' })
      return { reply: 1, isKept: true }
    }),
  )
  assert.deepEqual(await call({ brandId }), { kind: 'replay', reply: 1 })
})

test('1000 callers at once with one key do the work once', async (t) => {
  const { brandId } = await brand()
  const crowd = new Database({ ...PATIENT, url, connectionsMax: 40, name: 'crowd' })
  t.after(async () => crowd.close())
  const request = { brandId, key: 'order-7', requestHash: sha256('a'), now: NOW }
  const outcomes = await Promise.all(
    Array.from({ length: 1000 }, async () =>
      crowd.asSystem(brandId, async (tx) =>
        runOnce(tx, request, async () => {
          await leaveTrace(tx, brandId)
          return { reply: 'done', isKept: true }
        }),
      ),
    ),
  )
  assert.equal(await countTraces(brandId), 1)
  assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1)
  assert.equal(outcomes.filter(({ kind }) => kind === 'mismatch').length, 0)
})

test('a process killed in mid-work leaves nothing, and the next caller does it', async (t) => {
  const { brandId } = await brand()
  const sleeper = await startProcess({
    file: join(import.meta.dirname, 'idempotency-sleeper.ts'),
    args: [url, String(brandId)],
  })
  t.after(sleeper.kill)
  assert.deepEqual(await call({ brandId }), { kind: 'running' })
  await sleeper.kill()
  let outcome = await call({ brandId })
  while (outcome.kind === 'running') outcome = await call({ brandId })
  assert.equal(outcome.kind, 'done')
  assert.equal(await countTraces(brandId), 1)
})

test('the purge removes replies past their day, at most as many as it is told', async () => {
  const { brandId } = await brand()
  for (const key of ['a', 'b', 'c', 'live'])
    await database.asBrand(brandId, async (tx) => {
      const now = key === 'live' ? NOW : NOW - DAY_MS
      await runOnce(tx, { brandId, key, requestHash: sha256(''), now }, async () => ({
        reply: 1,
        isKept: true,
      }))
    })
  assert.equal(await purgeAged(database, { now: NOW, rowsMax: 2 }), 2)
  assert.ok((await purgeAged(database, { now: NOW, rowsMax: 1_000 })) >= 1)
  const { rows } = await database.query('select key from idempotency_keys where brand_id = $1', [brandId])
  assert.deepEqual(rows, [{ key: 'live' }])
})
