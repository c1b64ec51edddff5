import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import { cancelNotification } from '../../src/store/push/cancel.ts'
import { type ClaimedChunk, claimChunks, reclaimChunk, releaseChunks } from '../../src/store/push/chunks.ts'
import { openChunks, openPlainChunks } from '../../src/store/push/open-chunks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const CLAIM = { workerId: 'w', count: 100, leaseMs: 60_000, sizes: 'any' } as const

test('a chunk that is opened again asks for the outcome of each recipient once, whatever the statistics say', async () => {
  await analyzeAfterSingles()
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 2_500 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const [last, ...others] = (await claimChunks(database, CLAIM)).toReversed()
  assert.ok(last !== undefined && others.length > 0)
  for (const chunk of others) {
    const opened = await open(database, chunk)
    await settle(
      database,
      chunk,
      // Half of the outcomes are bits and half are rows, so that there are many of both.
      (opened?.recipients ?? []).map(({ id }) => ({
        recipientId: id,
        ...(id % 2n === 0n ? {} : { state: 'failed' as const, reason: 'bad' }),
      })),
    )
  }
  await releaseChunks(database, [last])
  const [again] = await claimChunks(database, CLAIM)
  assert.ok(again !== undefined)
  const { recipients, read } = await openCounting(again)
  assert.equal(recipients, last.remaining)
  assert.ok(read <= recipients, `${read} outcomes were read for ${recipients} recipients`)
})

test('a chunk that is opened again has those without an outcome, whatever languages and variants the others got', async () => {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, count: 2_500 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const left = new Set(ids)
  for (const chunk of (await claimChunks(database, CLAIM)).filter((one) => one.brandId === brandId)) {
    const recipients = (await open(database, chunk))?.recipients ?? []
    const tried = recipients.filter(({ id }) => id % 5n !== 0n)
    const outcomes = tried.map(({ id: recipientId }) => ({
      recipientId,
      language: ['fr', 'de', null][Number(recipientId % 3n)] ?? null,
      variant: Number(recipientId % 2n),
    }))
    // A block gets rows from several settlements.
    for (let from = 0; from < outcomes.length; from += 300) {
      await settle(database, chunk, outcomes.slice(from, from + 300))
    }
    for (const { id } of tried) left.delete(id)
    const ref = await reclaimChunk(database, chunk, { leaseMs: 60_000 })
    assert.ok(ref !== null)
    const again = await open(database, { ...chunk, ...ref })
    const wanted = recipients.filter(({ id }) => left.has(id)).map(({ id }) => id)
    assert.deepEqual(
      again?.recipients.map(({ id }) => id),
      wanted,
    )
    assert.ok(wanted.length > 0)
  }
  assert.ok(left.size <= ids.length / 4)
})

test('a single send is opened without a transaction as with one, unless something is to be written', async () => {
  const { brandId } = await brand()
  const [device] = await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  const target = { kind: 'user', userId: 'ann' } as const
  for (let made = 0; made < 3; made += 1) await acceptNotification(database, { brandId, target })
  const claimed = (await claimChunks(database, CLAIM)).filter((chunk) => chunk.brandId === brandId)
  const [plain, lost, cancelled] = claimed
  assert.ok(plain !== undefined && lost !== undefined && cancelled !== undefined)
  await reclaimChunk(database, lost, { leaseMs: 60_000 })
  await database.asBrand(brandId, async (tx) =>
    cancelNotification(tx, { brandId, id: cancelled.notificationId }),
  )
  const [opened, ...others] = await openPlainChunks(database.queue, [plain, lost, cancelled])
  assert.deepEqual(others, [null, undefined])
  const [whole] = await database.asQueue(async (tx) => openChunks(tx, [plain]))
  assert.equal(opened?.recipients.length, 2)
  for (const key of ['recipients', 'content', 'isCancelled', 'platform', 'choices', 'contents'] as const) {
    assert.deepEqual(opened[key], whole?.[key])
  }
  await database.query('delete from subscriptions where brand_id = $1 and id = $2', [brandId, device])
  assert.deepEqual(await openPlainChunks(database.queue, [plain]), [undefined])
})

test('a claim that is lost while the chunk is opened counts nothing under the frequency cap', async () => {
  const { brandId } = await brand()
  await database.query('update brands set frequency_cap = 1 where id = $1', [brandId])
  await seedSubscriptions(database, { brandId, count: 2 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const chunk = (await claimChunks(database, CLAIM)).find((claimed) => claimed.brandId === brandId)
  assert.ok(chunk !== undefined)
  const opened = await database.asQueue(async (tx) => openChunks(losing(tx, chunk), [chunk]))
  assert.deepEqual(opened, [null])
  const { count } = await database.query('select from frequency_days where brand_id = $1', [brandId])
  assert.equal(count, 0)
})

/** A transaction during which another worker claims the chunk, right after the chunk was loaded. */
function losing(tx: Db, chunk: ClaimedChunk): Db {
  return {
    query: async (statement, values) => {
      try {
        return await tx.query(statement, values)
      } finally {
        const isLoad = typeof statement !== 'string' && statement.name === 'load_chunks'
        if (isLoad) await reclaimChunk(database, chunk, { leaseMs: 60_000 })
      }
    },
  }
}

/** Statistics of a time when every notification had one recipient. They stay until the server analyses again. */
async function analyzeAfterSingles(): Promise<void> {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const target = { kind: 'user', userId: 'ann' } as const
  for (let made = 0; made < 50; made += 1) await acceptNotification(database, { brandId, target })
  await drain(database)
  await withOwner(url, async (owner) => owner.query('analyze deliveries, accepted_blocks'))
}

/** Opens a chunk, and counts the rows of outcomes that the server looks at for it. */
async function openCounting(chunk: ClaimedChunk) {
  let read = 0
  const opened = await database.asQueue(async (tx) => {
    const counting: Db = {
      query: async (statement, values) => {
        const text = typeof statement === 'string' ? statement : statement.text
        if (text.includes('from deliveries as tried')) {
          const { rows } = await tx.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
            `explain (analyze, format json) ${text}`,
            values,
          )
          for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) read += rowsRead(Plan)
        }
        return tx.query(statement, values)
      },
    }
    return openChunks(counting, [chunk])
  })
  return { recipients: opened[0]?.recipients.length ?? 0, read }
}

type PlanNode = {
  readonly Alias?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The rows that a plan takes from `deliveries` and `accepted_blocks`, and the pairs that its joins compare in vain. */
function rowsRead(node: PlanNode): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, Plans: parts = [] } = node
  const compared = (node['Rows Removed by Join Filter'] ?? 0) * loops
  const found =
    node.Alias === 'tried' || node.Alias === 'packed'
      ? (rows + (node['Rows Removed by Filter'] ?? 0)) * loops
      : 0
  return parts.reduce((sum, part) => sum + rowsRead(part), compared + found)
}
