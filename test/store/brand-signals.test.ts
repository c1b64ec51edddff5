import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deleteDueBrands, restoreBrand, stopBrand } from '../../src/store/brand/deletion.ts'
import { freshDatabase } from '../support/database/database.ts'
import { until } from '../support/until.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('processes that cache keys hear of a brand that stops and of one that is restored, and senders of the second', async (context) => {
  const end = new AbortController()
  const heard = { keys: 0, sends: 0 }
  const listening = Promise.all([
    database.listenForKeysGone(() => {
      heard.keys += 1
    }, end.signal),
    database.listen((kind) => {
      if (kind === 'send') heard.sends += 1
    }, end.signal),
  ])
  context.after(async () => {
    end.abort()
    await listening
  })
  // A new listener assumes that there is news.
  await until(() => heard.keys === 1 && heard.sends === 1, { what: 'both listeners' })
  const { externalId } = await brand()
  const now = Date.now()
  assert.equal(await stopBrand(database, { externalId, now, until: now + 1_000 }), true)
  await until(() => heard.keys === 2, { what: 'news of the stopped brand' })
  assert.equal(heard.sends, 1)
  assert.equal(await restoreBrand(database, { externalId, now }), true)
  await until(() => heard.keys === 3 && heard.sends === 2, { what: 'news of the restored brand' })
})

test('a stopped brand can be restored until its last millisecond, and is deleted in the next', async () => {
  const { externalId } = await brand()
  const now = Date.now()
  const last = now + 1_000
  const due = async (at: number) => deleteDueBrands(database, { now: at, limit: 10 })
  await stopBrand(database, { externalId, now, until: last })
  assert.deepEqual(await due(last - 1), [])
  assert.equal(await restoreBrand(database, { externalId, now: last }), false)
  assert.equal(await restoreBrand(database, { externalId, now: last - 1 }), true)
  await stopBrand(database, { externalId, now, until: last })
  assert.deepEqual(await due(last), [externalId])
})
