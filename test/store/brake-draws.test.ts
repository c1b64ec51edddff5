import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ReadySender } from '../../src/delivery/channel-sender.ts'
import { Brake } from '../../src/delivery/health/brake.ts'
import type { RecipientVerdict } from '../../src/delivery/outcomes.ts'
import { BRAKE_RULES } from '../../src/rules/push.ts'
import { withOwner } from '../../src/store/db.ts'
import { fillBudgets } from '../../src/store/push/brake.ts'
import { loadRecipient } from '../../src/store/push/recipients.ts'
import { freshDatabase } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { url, brand, drop, database } = await freshDatabase()
after(drop)

const { devicesMax } = BRAKE_RULES
const NOW = Date.now()
const GONE = { kind: 'gone', reason: 'Unregistered', goneAt: null, isSuspect: false } as const

const SUSPECT = { ...GONE, reason: 'SenderId mismatch', isSuspect: true } as const

const SENDER: ReadySender = {
  kind: 'ready',
  credential: 'apns',
  version: 0,
  state: 'working',
  isFailing: false,
  refusedHosts: new Set(),
  mainHost: 'https://push.example',
  hasManyHosts: false,
  hostOf: () => 'https://push.example',
  prepare: () => () => undefined,
}

/** A channel, and verdicts on messages to its one device. */
async function openPlace() {
  const { brandId } = await brand()
  const ref = { brandId, platform: 'ios' } as const
  await seedSubscriptions(database, { ...ref, subscriptionId: 'one' })
  const recipient = await loadRecipient(database, { ...ref, subscriptionId: 'one' })
  assert.ok(recipient !== null)
  const brake = new Brake(database)
  return {
    ref,
    gone: (at: number): RecipientVerdict => ({ recipient, verdict: GONE, at: NOW + at }),
    suspect: (at: number): RecipientVerdict => ({ recipient, verdict: SUSPECT, at: NOW + at }),
    accepted: (at: number): RecipientVerdict => ({ recipient, verdict: { kind: 'accepted' }, at: NOW + at }),
    hold: async (verdicts: readonly RecipientVerdict[]) =>
      brake.hold(ref, SENDER, { verdicts, now: NOW + 1_000 }),
  }
}

/** Runs work whose draws have to wait: what comes meanwhile is drawn together. */
async function whileDrawsWait<Value>(
  ref: { readonly brandId: number; readonly platform: 'ios' },
  work: () => readonly Promise<Value>[],
): Promise<readonly Value[]> {
  const begun = await database.asBrand(ref.brandId, async (tx) => {
    await fillBudgets(tx, ref)
    return work()
  })
  return Promise.all(begun)
}

test('chunks that blame devices at once share one budget, and each learns of its own verdicts only', async () => {
  const { ref, gone, hold } = await openPlace()
  const chunks = Array.from({ length: 5 }, (_, chunk) =>
    Array.from({ length: 4 }, (__, place) => gone(10 * chunk + place)),
  )
  const held = await whileDrawsWait(ref, () => chunks.map(hold))
  const blamed = chunks.flat().length
  assert.equal(
    held.reduce((sum, { size }) => sum + size, 0),
    blamed - devicesMax,
  )
  for (const [place, own] of held.entries()) {
    assert.ok([...own].every((verdict) => chunks[place]?.includes(verdict)))
  }
})

test('answers of several chunks count in the order in which they came', async () => {
  const { ref, gone, accepted, hold } = await openPlace()
  const first = [gone(0)]
  const many = Array.from({ length: devicesMax }, (_, place) => gone(10 + place))
  // Another chunk's message was accepted between the blames of two others, so that the host gave its word again.
  const chunks = [first, [...many, gone(40)], [accepted(30), gone(31)]]
  const held = await whileDrawsWait(ref, () => chunks.map(hold))
  assert.deepEqual(
    held.map(({ size }) => size),
    [0, many.length + 1 - devicesMax, 0],
  )
})

test('an acceptance that came while a draw waited counts after the blames that came before it', async () => {
  const { ref, gone, accepted, hold } = await openPlace()
  const many = Array.from({ length: devicesMax }, (_, place) => gone(place))
  const held = await whileDrawsWait(ref, () => [many, [gone(21)], [accepted(30)]].map(hold))
  assert.deepEqual(
    held.map(({ size }) => size),
    [0, 1, 0],
  )
})

test('a report to the owner that fails does not make chunks draw again', async () => {
  const { ref, gone, hold } = await openPlace()
  await withOwner(url, async (owner) => {
    await owner.query(`create sequence draws;
      grant usage on sequence draws to public;
      create function count_draw() returns trigger language plpgsql as
        $$ begin perform nextval('draws'); return null; end $$;
      create trigger count_draw after insert on brake_budgets for each statement execute function count_draw();
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no report'; end $$;
      create trigger refuse before insert on channels for each row execute function refuse()`)
    const chunks = [0, 1, 2].map((chunk) =>
      Array.from({ length: devicesMax }, (_, place) => gone(20 * chunk + place)),
    )
    const held = await whileDrawsWait(ref, () =>
      chunks.map(async (chunk) => Promise.allSettled([hold(chunk)])),
    )
    assert.ok(held.flat().some(({ status }) => status === 'rejected'))
    const { rows } = await owner.query<{ draws: bigint }>('select last_value as draws from draws')
    assert.equal(rows[0]?.draws, 2n, 'one of the first chunk, one of all that waited for it')
    await owner.query('drop trigger refuse on channels; drop trigger count_draw on brake_budgets')
  })
})

test('acceptances that were remembered before a blame give their host its word back', async () => {
  const { gone, accepted, hold } = await openPlace()
  const sizes: number[] = []
  const many = Array.from({ length: devicesMax }, (_, place) => gone(place))
  for (const chunk of [many, [gone(20)], [accepted(30)], [gone(40)]]) sizes.push((await hold(chunk)).size)
  assert.deepEqual(sizes, [0, 1, 0, 0])
})

test('one suspect device too many holds all that came with it, until enough messages are accepted', async () => {
  const { suspect, accepted, hold } = await openPlace()
  const sizes: number[] = []
  const many = Array.from({ length: devicesMax - 1 }, (_, place) => suspect(place))
  const sound = Array.from({ length: 8 }, (_, place) => accepted(30 + place))
  for (const chunk of [many, [suspect(20), suspect(21)], sound, [suspect(40), suspect(41)]])
    sizes.push((await hold(chunk)).size)
  assert.deepEqual(sizes, [0, 2, 0, 0])
})

test('a chunk that blames nobody does not wait for the draws of others', async () => {
  const { ref, gone, accepted, hold } = await openPlace()
  let sound = 0
  const held = await database.asBrand(ref.brandId, async (tx) => {
    await fillBudgets(tx, ref)
    const drawn = hold([gone(0)])
    sound = (await hold([accepted(1)])).size
    return [drawn]
  })
  assert.deepEqual([sound, (await Promise.all(held)).map(({ size }) => size)], [0, [0]])
})
