import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Registration } from '../../src/domain/subscriptions/subscription.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { mergeProfiles } from '../../src/store/people/merging.ts'
import { ensureProfiles } from '../../src/store/people/user-profiles.ts'
import { ProfileGone } from '../../src/store/retry.ts'
import { type RegistrationBatch, saveRegistrations } from '../../src/store/subscriptions/registrations.ts'
import { retireSubscriptions } from '../../src/store/subscriptions/retire.ts'
import {
  listSubscriptions,
  loadSubscriptionById,
  unsubscribe,
} from '../../src/store/subscriptions/subscriptions.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { androidDevice, registrationOf } from '../support/subscriptions/registration.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const HOUR_MS = 3_600_000

const store = await freshDatabase()
const others = [1, 2].map(
  (at) => new Database({ ...PATIENT, url: store.url, connectionsMax: 10, name: `other ${at}` }),
)
const databases = [store.database, ...others]
after(async () => {
  await Promise.all(others.map(async (other) => other.close()))
  await store.drop()
})

async function save(brandId: number, change: Partial<Registration>, batch: Partial<RegistrationBatch> = {}) {
  const registrations = [registrationOf(change)]
  const [outcome] = await store.database.asBrand(brandId, async (tx) =>
    saveRegistrations(tx, { brandId, registrations, now: NOW, source: 'device', ...batch }),
  )
  assert.ok(outcome)
  return outcome
}

async function list(brandId: number) {
  const all = {
    platform: null,
    userId: null,
    tag: null,
    state: null,
    hasVirtual: true,
    afterId: 0n,
    limit: 1000,
  }
  const { rows } = await store.database.asBrand(brandId, async (tx) =>
    listSubscriptions(tx, { brandId, ...all }),
  )
  return rows
}

/** Fifty callers on three pools, all at once. */
async function saveTogether(brandId: number, changeAt: (at: number) => Partial<Registration>) {
  return Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const registrations = [registrationOf(changeAt(at))]
      const database = databases[at % databases.length] ?? store.database
      return database.asBrand(brandId, async (tx) =>
        saveRegistrations(tx, { brandId, registrations, now: NOW, source: 'device' }),
      )
    }),
  )
}

test('fifty registrations of one token at once are one row', async () => {
  const { brandId } = await store.brand()
  const outcomes = (await saveTogether(brandId, () => ({ device: androidDevice('same') }))).flat()
  assert.equal((await list(brandId)).length, 1)
  assert.equal(outcomes.filter(({ kind }) => kind === 'new').length, 1)
})

test('fifty tokens of one device at once are one row', async () => {
  const { brandId } = await store.brand()
  await saveTogether(brandId, (at) => ({ device: androidDevice(`rotated-${at}`), deviceId: 'phone' }))
  assert.equal((await list(brandId)).length, 1)
})

test('fifty users who log in on one device at once leave one row and no profile without a name', async () => {
  const { brandId } = await store.brand()
  await saveTogether(brandId, (at) => ({
    deviceId: 'shared',
    device: androidDevice(`token-${at % 7}`),
    userId: `user-${at % 5}`,
  }))
  assert.equal((await list(brandId)).length, 1)
  const { rows } = await store.database.query<{ people: bigint }>(
    'select count(*) as people from profiles where brand_id = $1',
    [brandId],
  )
  assert.equal(rows[0]?.people, 5n)
})

test('devices, tokens and lists that cross each other never deadlock and never double a name', async () => {
  const { brandId } = await store.brand()
  const lists = databases.map(async (database, shift) =>
    database.asBrand(brandId, async (tx) => {
      const registrations = Array.from({ length: 60 }, (_, at) =>
        registrationOf({
          device: androidDevice(`token-${(at * 7 + shift) % 20}`),
          deviceId: `phone-${(at * 3) % 10}`,
        }),
      )
      await saveRegistrations(tx, { brandId, registrations, now: NOW, source: 'list' })
    }),
  )
  await Promise.all([
    ...lists,
    saveTogether(brandId, (at) => ({
      device: androidDevice(`token-${(at * 11) % 20}`),
      deviceId: `phone-${(at * 3) % 10}`,
    })),
  ])
  const rows = await list(brandId)
  assert.equal(new Set(rows.map(({ deviceId }) => deviceId)).size, rows.length)
})

test('a token that rotates keeps its row, its tags and its person', async () => {
  const { brandId } = await store.brand()
  await save(brandId, {
    device: androidDevice('old'),
    deviceId: 'phone',
    tags: ['vip'],
    userId: 'ann',
  })
  await save(brandId, { device: androidDevice('new'), deviceId: 'phone' })
  const [row, ...more] = await list(brandId)
  assert.deepEqual(more, [])
  assert.deepEqual([row?.tags, row?.userId], [['vip'], 'ann'])
})

test('a device that was known by its token and by its id, each alone, becomes one row', async () => {
  const { brandId } = await store.brand()
  await save(brandId, { device: androidDevice('token'), tags: ['a'] })
  const first = await save(brandId, { device: androidDevice('stale'), deviceId: 'phone', tags: ['b'] })
  const joined = await save(brandId, { device: androidDevice('token'), deviceId: 'phone' })
  const rows = await list(brandId)
  assert.equal(rows.length, 1)
  assert.deepEqual(rows[0]?.tags, ['b'])
  assert.deepEqual(joined, { kind: 'known', id: first.kind === 'refused' ? null : first.id })
})

test('a device moves to whoever logs in, and stays when nothing is said', async () => {
  const { brandId } = await store.brand()
  const userNow = async () => (await list(brandId))[0]?.userId
  await save(brandId, { userId: 'ann' })
  await save(brandId, { userId: 'bob' })
  assert.equal(await userNow(), 'bob')
  await save(brandId, {})
  assert.equal(await userNow(), 'bob')
})

test('registering again revives a row, and says when', async () => {
  const { brandId } = await store.brand()
  const saved = await save(brandId, { subscriptionId: 's1' })
  const later = NOW + HOUR_MS
  await store.database.asBrand(brandId, async (tx) =>
    unsubscribe(tx, { brandId, subscriptionId: 's1', now: NOW, reason: 'api' }),
  )
  await save(brandId, {}, { now: later })
  assert.ok(saved.kind !== 'refused')
  const row = await store.database.asBrand(brandId, async (tx) =>
    loadSubscriptionById(tx, { brandId, id: saved.id }),
  )
  assert.deepEqual(
    [row?.state, row?.stateReason, row?.stateSince, row?.registeredAt, row?.createdAt],
    ['live', null, later, later, NOW],
  )
})

test('a list brings back neither who unsubscribed nor an address that is gone, but a gone device that moved', async () => {
  const { brandId } = await store.brand()
  const retire = async (subscriptionId: string, state: string) =>
    store.database.query('update subscriptions set state = $3 where brand_id = $1 and subscription_id = $2', [
      brandId,
      subscriptionId,
      state,
    ])
  const stateOf = async () => (await list(brandId)).map(({ state }) => state)
  const listed = { source: 'list' } as const
  await save(brandId, { subscriptionId: 's1', device: androidDevice('a') })
  await retire('s1', 'unsubscribed')
  await save(brandId, { subscriptionId: 's1', device: androidDevice('b') }, listed)
  assert.deepEqual(await stateOf(), ['unsubscribed'])
  await retire('s1', 'gone')
  await save(brandId, { subscriptionId: 's1', device: androidDevice('b') }, listed)
  assert.deepEqual(await stateOf(), ['gone'])
  await save(brandId, { subscriptionId: 's1', device: androidDevice('c') }, listed)
  assert.deepEqual(await stateOf(), ['live'])
})

test('an id that names a subscription on another platform is refused, and nothing changes', async () => {
  const { brandId } = await store.brand()
  await save(brandId, { subscriptionId: 's1' })
  const outcome = await save(brandId, {
    device: { kind: 'ios', token: 'other', environment: 'production' },
    subscriptionId: 's1',
    userId: 'nobody made this one known',
  })
  assert.equal(outcome.kind === 'refused' ? outcome.fault.field : null, 'subscription_id')
  assert.equal((await list(brandId)).length, 1)
  const { count } = await store.database.query('select from profiles where brand_id = $1', [brandId])
  assert.equal(count, 0)
})

test('the same token in two brands is two devices', async () => {
  const [one, two] = [await store.brand(), await store.brand()]
  await save(one.brandId, { device: androidDevice('same'), subscriptionId: 's' })
  await save(two.brandId, { device: androidDevice('same'), subscriptionId: 's' })
  assert.deepEqual([(await list(one.brandId)).length, (await list(two.brandId)).length], [1, 1])
})

test('a device that registers while its person is merged into another goes along', async () => {
  const { brandId } = await store.brand()
  const users = async (tx: Db) => ensureProfiles(tx, { brandId, userIds: ['ann', 'bob'], now: NOW })
  const profiles = await store.database.asBrand(brandId, users)
  const [survivorId = 0n, absorbedId = 0n] = [profiles.get('ann'), profiles.get('bob')]
  let merged: Promise<void> | undefined
  await store.database.asBrand(brandId, async (tx) => {
    const registrations = [registrationOf({ userId: 'bob' })]
    await ensureProfiles(tx, { brandId, userIds: ['bob'], now: NOW })
    merged = store.database.asBrand(brandId, async (other) =>
      mergeProfiles(other, { brandId, survivorId, absorbedId, now: NOW }),
    )
    await untilBlocked()
    await saveRegistrations(tx, { brandId, registrations, now: NOW, source: 'device' })
  })
  await merged
  assert.deepEqual(
    (await list(brandId)).map(({ userId }) => userId),
    ['ann'],
  )
  const { rows } = await store.database.query<{ id: bigint }>(
    'select profile_id as id from subscriptions where brand_id = $1',
    [brandId],
  )
  assert.deepEqual(rows, [{ id: survivorId }])
})

test('a merge of somebody who is gone, on either side, is tried again by its caller', async () => {
  const { brandId } = await store.brand()
  const ann = await store.database.asBrand(brandId, async (tx) =>
    ensureProfiles(tx, { brandId, userIds: ['ann'], now: NOW }),
  )
  const [here = 0n] = ann.values()
  const gone = here + 1_000n
  for (const pair of [
    { survivorId: here, absorbedId: gone },
    { survivorId: gone, absorbedId: here },
  ]) {
    const merged = store.database.asBrand(brandId, async (tx) =>
      mergeProfiles(tx, { brandId, now: NOW, ...pair }),
    )
    await assert.rejects(merged, ProfileGone)
  }
})

test('a verdict about the address a list replaced does not retire the new one', async () => {
  const { brandId } = await store.brand()
  await save(brandId, { subscriptionId: 's1', device: androidDevice('old') })
  const [sent] = await list(brandId)
  assert.ok(sent)
  await save(brandId, { subscriptionId: 's1', device: androidDevice('new') }, { source: 'list' })
  const verdict = { id: sent.id, registeredAt: sent.registeredAt, reason: 'Unregistered', goneAt: null }
  assert.equal(await retireSubscriptions(store.database, brandId, [verdict]), 0)
  const [moved] = await list(brandId)
  assert.ok(moved)
  const late = { ...verdict, registeredAt: moved.registeredAt }
  assert.equal(await retireSubscriptions(store.database, brandId, [late]), 1)
})

/** Waits until somebody in this database waits for a lock. Only the owner may see that. */
async function untilBlocked(): Promise<void> {
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await withOwner(store.url, async (owner) => {
    for (let count = 0; count === 0; ) count = (await owner.query(blocked)).count
  })
}
