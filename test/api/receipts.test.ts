import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { catchUp } from '../support/events/counting.ts'
import { call, keyHeaders, LIFE_DAYS, startServer } from '../support/processes/server.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)

const PATH = '/api/v1/receipts'

async function sendOne() {
  const brand = await server.brand()
  const { brandId } = brand
  const { database, receipts } = server.deps
  const [subscriptionId = 0n] = await seedSubscriptions(database, { brandId })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const receipt = receipts.sign({ brandId, notificationId: id, subscriptionId }, Date.now())
  const read = async () =>
    (await call(server.port, { path: `/api/v1/notifications/${id}/receipts`, headers: keyHeaders(brand) }))
      .body['receipts']
  return { receipt, read }
}

test('200 without a key: each kind counts once for a delivery, however often it is told', async () => {
  const { receipt, read } = await sendOne()
  const told = [
    { receipt, kind: 'received' },
    { receipt, kind: 'clicked' },
    { receipt, kind: 'button', button: 2 },
    { receipt, kind: 'clicked' },
  ]
  const first = await call(server.port, { path: PATH, body: { receipts: told } })
  assert.deepEqual([first.status, first.body['processed'], first.body['counted']], [200, 4, 3])
  const again = await call(server.port, { path: PATH, body: { receipts: told } })
  assert.equal(again.body['counted'], 0)
  assert.deepEqual(await read(), { received: 1, clicked: 1, dismissed: 0, button: 1 })
})

test('400: a token that was changed, cut or made up, and nothing of that call is counted', async () => {
  const { receipt, read } = await sendOne()
  const [delivery, brand, day, mac] = receipt.split('.')
  const forged = [
    `${delivery}.zz.${day}.${mac}`,
    `${delivery}.${brand}.zzz.${mac}`,
    `${delivery}.${brand}.${mac}`,
    receipt.slice(0, -1),
    'nothing',
    `${delivery}.${brand}.`,
  ]
  for (const token of forged) {
    const receipts = [
      { receipt, kind: 'clicked' },
      { receipt: token, kind: 'clicked' },
    ]
    const refused = await call(server.port, { path: PATH, body: { receipts } })
    assert.deepEqual([refused.status, refused.body['code']], [400, 'receipt_invalid'], token)
  }
  assert.deepEqual(await read(), { received: 0, clicked: 0, dismissed: 0, button: 0 })
})

test('400: a token of long ago has expired, to the day', async () => {
  const { brandId } = await server.brand()
  const { receipts } = server.deps
  const name = { brandId, notificationId: '01900000-0000-7000-8000-000000000000', subscriptionId: 1n }
  const tell = async (days: number) => {
    const receipt = receipts.sign(name, Date.now() - days * 86_400_000)
    return call(server.port, { path: PATH, body: { receipts: [{ receipt, kind: 'clicked' }] } })
  }
  const old = await tell(LIFE_DAYS.receipt + 1)
  assert.deepEqual([old.status, old.body['code']], [400, 'receipt_expired'], old.text)
  assert.equal((await tell(LIFE_DAYS.receipt - 1)).status, 200)
})

test('404: receipts of a notification that is not known, or is another brand’s', async () => {
  const headers = keyHeaders(await server.brand())
  const unknown = await call(server.port, { path: '/api/v1/notifications/nothing/receipts', headers })
  assert.equal(unknown.status, 404)
})

test('what the devices of an erased person told of broadcasts is gone, and is not taken again', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  const { database, receipts } = server.deps
  const [erased = 0n] = await seedSubscriptions(database, { brandId, userId: 'erased' })
  const [stays = 0n] = await seedSubscriptions(database, { brandId, userId: 'stays' })
  const notificationId = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const told = [erased, stays].map((subscriptionId) => ({
    receipt: receipts.sign({ brandId, notificationId, subscriptionId }, Date.now()),
    kind: 'clicked',
  }))
  const tell = async () => call(server.port, { path: PATH, body: { receipts: told } })
  assert.equal((await tell()).body['counted'], 2)
  const body = { nv: [{ userID: 'erased' }] }
  await call(server.port, { path: '/api/v1/user/delete', headers: keyHeaders(brand), body })
  await catchUp(database, brandId)
  assert.equal((await tell()).body['counted'], 0)
  const { rows } = await database.query<{ id: bigint }>(
    'select subscription_id as id from receipts where brand_id = $1',
    [brandId],
  )
  assert.deepEqual(rows, [{ id: stays }])
})
