import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Db } from '../../src/store/db.ts'
import { saveJourneyChanges } from '../../src/store/journeys/changes.ts'
import { freshDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

async function newPerson() {
  const { brandId } = await brand()
  const { rows } = await database.query<{ id: bigint }>(
    'insert into profiles (brand_id, created_at, updated_at) values ($1, now(), now()) returning id',
    [brandId],
  )
  const profileId = rows[0]?.id
  assert.ok(profileId !== undefined)
  return { brandId, profileId }
}

type Person = Awaited<ReturnType<typeof newPerson>>

async function tagPerson(tx: Db, { brandId, profileId }: Person): Promise<void> {
  const change = { kind: 'tag', tag: 'vip', isAdded: true } as const
  await saveJourneyChanges(tx, { brandId, changes: [{ profileId, change }], now: Date.now() })
}

/** Holds a profile, as a call that changes it does, until it is let go. */
function holdProfile({ brandId, profileId }: Person) {
  const held = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const ended = database.asEngine(async (tx) => {
    await tx.query('select from profiles where brand_id = $1 and id = $2 for no key update', [
      brandId,
      profileId,
    ])
    held.resolve()
    await free.promise
  })
  return { held: held.promise, free: free.resolve, ended }
}

async function isWaiting(): Promise<boolean> {
  const { count } = await database.query(
    `select from pg_locks as l join pg_stat_activity as a using (pid)
     where not l.granted and a.datname = current_database()`,
  )
  return count > 0
}

test('a change of a person waits for a call that changes them too', async () => {
  const person = await newPerson()
  const other = holdProfile(person)
  await other.held
  const outcome = { error: null as unknown, isOver: false }
  const saving = database
    .asEngine(async (tx) => tagPerson(tx, person))
    .catch((error: unknown) => void (outcome.error = error))
    .finally(() => void (outcome.isOver = true))
  await until(async () => outcome.isOver || (await isWaiting()), { what: 'somebody who waits' })
  other.free()
  await saving
  await other.ended
  assert.equal(outcome.error, null)
  const { rows } = await database.query('select tags from profiles where brand_id = $1', [person.brandId])
  assert.deepEqual(rows, [{ tags: ['vip'] }])
})

test('a change of a person gives way to a merge that waits for their enrolment, before either is chosen to fail', async () => {
  const person = await newPerson()
  const other = holdProfile(person)
  await other.held
  const saving = database.asEngine(async (tx) => tagPerson(tx, person))
  await assert.rejects(saving, { code: '55P03' })
  other.free()
  await other.ended
})

test('a change of a person leaves the patience of its transaction as it was', async () => {
  const person = await newPerson()
  await database.asEngine(async (tx) => {
    await tagPerson(tx, person)
    const { rows } = await tx.query(`select current_setting('lock_timeout') as patience`)
    assert.deepEqual(rows, [{ patience: '0' }])
  })
})
