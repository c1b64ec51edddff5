import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodeJson, isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { PROFILE_LIMITS } from '../../src/rules/people.ts'
import { loadPerson, loadRecordPage } from '../../src/store/people/person.ts'
import type { TestBrand } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { catchUp } from '../support/events/counting.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain, type Judge } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
const { deps, port } = server
after(server.close)
const users = new UserCalls(server)
const { database } = deps

/** More devices than a broadcast may have whose recipients are rows. */
const CROWD = 130

test('userData shows what a broadcast brought to the person’s devices, be it a bit or a row, until they are erased', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, count: CROWD })
  const devices = [await register(brand, 'ann', 1), await register(brand, 'ann', 2)] as const
  const bob = await register(brand, 'bob', 3)
  const before = Date.now()
  // The second device is not reached, so its delivery is a row.
  const id = await broadcast(brand, ({ id: one }) =>
    one === devices[1].id ? { state: 'failed', reason: 'bad' } : {},
  )
  assert.deepEqual(await stored(brandId, id), { rows: 1n, bits: BigInt(CROWD + 2) })
  // The device was somebody else's when this one was sent, and it was addressed to them.
  await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'bob' } })
  await drain(database)
  await call(port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body: bodyOf('ann', 3) })
  const own = await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } })
  await drain(database)

  const deliveries = await deliveriesOf(brand, 'ann')
  assert.deepEqual(
    deliveries.map(({ notification_id, subscription_id, state, reason, attempt }) => [
      notification_id,
      String(subscription_id),
      state,
      reason,
      attempt,
    ]),
    [
      ...[devices[0], devices[1], bob].map((device) => [
        id,
        String(device.id),
        device === devices[1] ? 'failed' : 'accepted',
        device === devices[1] ? 'bad' : null,
        1,
      ]),
      ...[devices[0], devices[1], bob].map((device) => [own, String(device.id), 'accepted', null, 1]),
    ],
  )
  for (const { at } of deliveries) {
    const instant = Date.parse(String(at))
    assert.ok(before <= instant && instant <= Date.now(), `${String(at)} is the time of the settlement`)
  }

  await users.post(brand, 'create', { nv: [{ userID: 'cy' }] })
  assert.deepEqual(await deliveriesOf(brand, 'cy'), [])
  const erased = await users.post(brand, 'delete', { nv: [{ userID: 'ann' }] })
  assert.equal(erased.status, 200)
  await catchUp(database, brandId)
  assert.deepEqual(await stored(brandId, id), { rows: 1n, bits: BigInt(CROWD) })
  assert.equal((await users.post(brand, 'userData', { userID: 'ann' })).status, 404)
  const list = await listAll(brand, id)
  assert.equal(list.length, CROWD + 1)
  assert.doesNotMatch(encodeJson(list), /device-[123]"/)
  // The next user of the device gets none of these deliveries.
  await register(brand, 'cy', 1)
  assert.deepEqual(await deliveriesOf(brand, 'cy'), [])
})

test('userData shows every delivery of a person with more than a page of them, and reads no other bits', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  const { id: device } = await register(brand, 'ann', 1)
  const first = await broadcast(brand)
  const count = PROFILE_LIMITS.recordsMax + 3
  await copyBroadcast({ brandId, first, device, count })
  const deliveries = await deliveriesOf(brand, 'ann')
  assert.equal(deliveries.length, count + 1)
  assert.equal(new Set(deliveries.map(({ notification_id }) => notification_id)).size, count + 1)
  const read = await database.asBrand(brandId, async (tx) => {
    const person = await loadPerson(tx, { brandId, who: { userId: 'ann', email: null, mobile: null } })
    assert.ok(person !== null)
    const before = await rowsRead(tx, 'accepted_blocks')
    await loadRecordPage(tx, { brandId, ...person }, { table: 'deliveries', offset: 0 })
    return (await rowsRead(tx, 'accepted_blocks')) - before
  })
  assert.ok(read <= count, `${read} rows of bits were read`)
})

type Device = { readonly id: bigint }

function bodyOf(user_id: string, place: number): object {
  return { platform: 'android', token: `token-${place}`, subscription_id: `device-${place}`, user_id }
}

async function register(brand: TestBrand, userId: string, place: number): Promise<Device> {
  const body = bodyOf(userId, place)
  const { status, text } = await call(port, {
    path: '/api/v1/subscriptions',
    headers: keyHeaders(brand),
    body,
  })
  assert.equal(status, 200, text)
  const { rows } = await database.query<Device>(
    'select id from subscriptions where brand_id = $1 and subscription_id = $2',
    [brand.brandId, `device-${place}`],
  )
  const [device] = rows
  assert.ok(device !== undefined)
  return device
}

/** Sends to everybody over HTTP. Gives the id of the notification. */
async function broadcast(brand: TestBrand, judge: Judge = () => ({})): Promise<string> {
  const { body } = await call(port, {
    path: '/api/v1/android/broadcast/all',
    headers: keyHeaders(brand),
    body: { title: 'Hello', message: 'World' },
  })
  await drain(database, { judge })
  return String(Object(body['notification']).id)
}

/** How the recipients of a broadcast are stored. */
async function stored(brandId: number, id: string): Promise<object | undefined> {
  const { rows } = await database.query(
    `select (select count(*) from deliveries where brand_id = $1 and notification_id = $2) as rows,
       coalesce(sum(bit_count(bits)), 0)::bigint as bits
     from accepted_blocks where brand_id = $1 and notification_id = $2`,
    [brandId, id],
  )
  return rows[0]
}

async function deliveriesOf(brand: TestBrand, userId: string): Promise<readonly JsonObject[]> {
  const { records } = await users.read(brand, userId)
  assert.ok(isJsonObject(records))
  const { deliveries } = records
  assert.ok(Array.isArray(deliveries))
  return deliveries.filter(isJsonObject)
}

async function listAll(brand: TestBrand, id: string): Promise<readonly JsonObject[]> {
  const path = `/api/v1/notifications/${id}/deliveries?limit=500`
  const { status, body } = await call(port, { path, headers: keyHeaders(brand) })
  assert.equal(status, 200)
  const { deliveries } = body
  assert.ok(Array.isArray(deliveries))
  return deliveries.filter(isJsonObject)
}

type Copies = {
  readonly brandId: number
  readonly first: string
  readonly device: bigint
  readonly count: number
}

/** More broadcasts like the first, each with a bit of the device and blocks of other devices. */
async function copyBroadcast({ brandId, first, device, count }: Copies): Promise<void> {
  const { rows } = await database.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = 'notifications'::regclass and attnum > 0 and not attisdropped and attname <> 'id'`,
  )
  const columns = rows[0]?.columns
  await database.query(
    `with copied as (
       insert into notifications (id, ${columns}) select gen_random_uuid(), ${columns}
       from notifications cross join generate_series(1, $3::integer) where brand_id = $1 and id = $2 returning id
     )
     insert into accepted_blocks (brand_id, notification_id, block, first_place, bits, at)
     select $1, id, ($4::bigint >> 10) + other, $4::bigint & 1023, '\\x01', now()
     from copied cross join generate_series(0, 30) as other`,
    [brandId, first, count, device],
  )
}
