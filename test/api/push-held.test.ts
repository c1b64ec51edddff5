import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { field, listIn } from '../support/journeys/runs.ts'
import { startServer } from '../support/processes/server.ts'
import { push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

let now = Date.now()
const { port, deps, brand, close } = await startServer({ clock: { now: () => now } })
after(close)

/** Longer than a process remembers whether sending is held. */
const FORGOTTEN_MS = 5_000

test('200 with a warning while sending is held; the push waits, and is sent once when it goes on', async () => {
  const { database } = deps
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  const warningsOf = async () => {
    now += FORGOTTEN_MS
    const { status, body } = await push(port, mine, { body: { user_id: 'ann' } })
    assert.equal(status, 200)
    return listIn(body['warnings']).map((warning) => field(warning, 'code'))
  }
  await holdSending(database)
  assert.deepEqual(await warningsOf(), ['sending_held'])
  assert.deepEqual(await drain(database), [])

  await resumeSending(database)
  assert.deepEqual(await warningsOf(), [])
  assert.equal((await drain(database)).length, 2)
})
