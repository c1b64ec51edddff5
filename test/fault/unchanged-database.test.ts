import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as fc from 'fast-check'
import { errorCode } from '../../src/runtime/errors.ts'
import { startPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { ensureBrand } from '../../src/store/brand/brands.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { type DueWorkLook, loadDueWork, passTime } from '../../src/store/due-work.ts'
import { COUNTING_READER, ensureReaders } from '../../src/store/events/readers.ts'
import { migrate } from '../../src/store/migrate.ts'
import { QUICK } from '../support/database/data-folder.ts'
import { atLength } from '../support/length.ts'
import { endWith, freshFolder } from '../support/processes/beckon.ts'

/** A server of our own, on which nothing happens beside the test. */
const QUIET = { ...QUICK, autovacuum: 'off', max_prepared_transactions: '4' } as const

/** Statements that bring work, move it, or take it away. */
const WRITES = {
  plan: `insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
      plan_at, created_at)
    values (1, uuidv7(), 'web', 'send', '{}', 60, 'queued', now(), now() + interval '1 hour',
      now() + random() * interval '50 minutes', now())`,
  move: `update notifications set plan_at = now() + random() * interval '50 minutes'`,
  lock: 'select from notifications for update skip locked',
  cancel: 'delete from notifications',
  batch: `insert into event_batches (brand_id, id, entries, attributes_seen) values (1, random(0, 1000000000), 1, '{}')`,
  read: `update event_readers set tx = pg_snapshot_xmin(pg_current_snapshot())`,
  hold: 'insert into sending_hold (since) values (now()) on conflict do nothing',
  resume: 'delete from sending_hold',
} as const

const STEPS = ['begin', 'savepoint', 'undo', 'commit', 'rollback', 'prepare', 'finish', 'discard'] as const
type Step = (typeof STEPS)[number]

/** Two sessions, so that transactions begin and end in every order. */
const DEED = fc.record({
  session: fc.constantFrom(0 as const, 1 as const),
  step: fc.oneof(
    fc.constantFrom(...STEPS),
    fc.constantFrom(...Object.values(WRITES)),
    fc.constantFrom('begin' as const, 'commit' as const),
  ),
})

test('the database is said to be unchanged only if a look at all work finds the same', async (context) => {
  const { url, database } = await quietServer(context)
  let last = await loadDueWork(database.queue)
  const seen = { changed: 0, same: 0, sameInOpen: 0 }
  await withOwner(url, async (one) =>
    withOwner(url, async (other) => {
      const sessions = [new Session(one, 'first'), new Session(other, 'second')] as const
      for (const db of [one, other]) await db.query(`set lock_timeout = '10ms'`)
      const property = fc.asyncProperty(fc.array(DEED, { minLength: 1, maxLength: 30 }), async (deeds) => {
        for (const { session: place, step } of deeds) {
          await sessions[place].act(step)
          const passed = await passTime(database.queue, last)
          const whole = await loadDueWork(database.queue)
          last = whole
          if (passed === null) seen.changed += 1
          if (passed === null) continue
          assert.deepEqual(instants(passed), instants(whole), JSON.stringify(deeds))
          seen.same += 1
          if (sessions.some(({ isOpen }) => isOpen)) seen.sameInOpen += 1
        }
      })
      await fc.assert(property, { numRuns: atLength(120), endOnFailure: true })
      for (const session of sessions) await session.end()
    }),
  )
  for (const count of Object.values(seen)) assert.ok(count > 0, JSON.stringify(seen))
})

test('rows that become work as time passes, and other sessions, ask for a look at all work', async (context) => {
  const { url, database } = await quietServer(context)
  const isSame = async (): Promise<boolean> => {
    const whole = await loadDueWork(database.queue)
    return (await passTime(database.queue, whole)) !== null
  }
  assert.equal(await isSame(), true)
  await withOwner(url, async (owner) => {
    for (const [table, row] of Object.entries(TIMED_ROWS)) {
      await owner.query(`insert into ${table} ${row}`)
      assert.equal(await isSame(), false, table)
      await owner.query(`delete from ${table}`)
      assert.equal(await isSame(), true, table)
    }
  })
  const whole = await loadDueWork(database.queue)
  const again = new Database({ url, connectionsMax: 1, name: 'beckon test' })
  endWith(context, async () => again.close())
  assert.equal(await passTime(again.queue, whole), null)
  assert.notEqual(await passTime(database.queue, whole), null)
})

/** A lease that ends, a campaign whose hour comes, a part in flight, and a type that all processes know by then. */
const TIMED_ROWS = {
  chunks: `(brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at, leased_by,
      leased_until)
    values (1, 'ios', uuidv7(), 1, 7, 7, true, now(), now() + interval '1 hour', 'w', now() + interval '1 minute')`,
  campaigns: `(brand_id, name, state, document, created_by, created_at, updated_at, send_at)
    values (1, 'a', 'scheduled', '{}', 'key:1', now(), now(), now() + interval '1 minute')`,
  erasures: `(brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names, fence)
    values (1, 1, now(), '{}', '{1}', '{a}', '9223372036854775807')`,
  retyped_attributes: `(brand_id, event_name, attribute) values (1, 'see', 'a')`,
} as const

async function quietServer(
  context: TestContext,
): Promise<{ readonly url: string; readonly database: Database }> {
  const dataDir = await freshFolder(context)
  const { url } = await startPostgres({ dataDir, throwaway: QUIET })
  await migrate(url)
  const database = new Database({ url, connectionsMax: 1, name: 'beckon test' })
  endWith(context, async () => database.close())
  const { id } = await ensureBrand(database, { externalId: 'a', name: 'a', now: Date.now() })
  assert.equal(id, 1)
  await ensureReaders(database, COUNTING_READER)
  return { url, database }
}

/** One connection, which may be in a transaction, and may have a prepared one beside it. */
class Session {
  readonly #db: Db
  readonly #name: string
  #isOpen = false
  #hasSavepoint = false
  #isPrepared = false

  constructor(db: Db, name: string) {
    this.#db = db
    this.#name = name
  }

  get isOpen(): boolean {
    return this.#isOpen || this.#isPrepared
  }

  /** A step that is not possible now is left out. A step that would wait for the other session ends its transaction. */
  async act(step: string): Promise<void> {
    const text = isStep(step) ? this.#textOf(step) : step
    if (text === null) return
    try {
      await this.#db.query(text)
    } catch (cause) {
      assert.equal(errorCode(cause), LOCK_TIMEOUT, text)
      await this.act('rollback')
    }
  }

  async end(): Promise<void> {
    await this.act('rollback')
    await this.act('discard')
  }

  /** Also remembers the state after the step. */
  #textOf(step: Step): string | null {
    if (!this.#canDo(step)) return null
    if (step === 'begin') this.#isOpen = true
    if (step === 'savepoint') this.#hasSavepoint = true
    if (step === 'commit' || step === 'rollback' || step === 'prepare')
      this.#isOpen = this.#hasSavepoint = false
    if (step === 'prepare' || step === 'finish' || step === 'discard') this.#isPrepared = step === 'prepare'
    return TEXTS[step].replace('NAME', this.#name)
  }

  #canDo(step: Step): boolean {
    const isOpen = this.#isOpen
    const canEndPrepared = this.#isPrepared && !isOpen
    return {
      begin: !isOpen,
      savepoint: isOpen,
      undo: this.#hasSavepoint,
      commit: isOpen,
      rollback: isOpen,
      prepare: isOpen && !this.#isPrepared,
      finish: canEndPrepared,
      discard: canEndPrepared,
    }[step]
  }
}

const TEXTS: Readonly<Record<Step, string>> = {
  begin: 'begin',
  savepoint: 'savepoint here',
  undo: 'rollback to here',
  commit: 'commit',
  rollback: 'rollback',
  prepare: `prepare transaction 'NAME'`,
  finish: `commit prepared 'NAME'`,
  discard: `rollback prepared 'NAME'`,
}

function isStep(text: string): text is Step {
  return STEPS.some((step) => step === text)
}

/** The instants at which work is due. Work of the present has none: it is due now, whenever that is. */
function instants({ kinds, atMs }: DueWorkLook): readonly string[] {
  return kinds.map(({ kind, inMs }) => `${kind} ${inMs <= 0 ? 'now' : (atMs + inMs).toFixed(0)}`).toSorted()
}

const LOCK_TIMEOUT = '55P03'
