import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { entryOf } from '../support/events/events.ts'
import { field, pathOf } from '../support/journeys/runs.ts'
import { type Walker, walkers } from '../support/journeys/walkers.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { deps, close } = server
after(close)
const walk = walkers(server)

const MINUTE_MS = 60_000
const REMINDER = {
  trigger: { event: 'signup' },
  steps: [
    { id: 'wait', wait: { hours: 1 } },
    { id: 'remind', send: { to: 'android', title: 'Hello', message: 'World' } },
  ],
}
const REMINDED = ['entered', 'wait:waiting', 'wait:waited', 'remind:sent', 'completed']

/** `u1` and `u2`, each with a device, of whom `u2` entered the journey half an hour after `u1`. */
async function twoInside(document: object = REMINDER): Promise<Walker> {
  const walker = await walk(document, { isMerging: true })
  await walker.api('POST', '/api/v1/user/create', { nv: [{ userID: 'u2', email: 'u2@x.example' }] })
  await walker.addDevice('u2')
  await signUp(walker, 'u1')
  await walker.run(0)
  await signUp(walker, 'u2')
  await walker.run(30 * MINUTE_MS)
  return walker
}

async function signUp({ log }: Walker, userID: string): Promise<void> {
  await log(entryOf({ userID, event_name: 'signup', attributes: {} }))
}

async function merge({ api }: Walker): Promise<void> {
  const { status, text } = await api('POST', '/api/v1/user/create', {
    nv: [{ userID: 'u1', email: 'u2@x.example' }],
  })
  assert.equal(status, 200, text)
}

async function part({ api }: Walker): Promise<void> {
  const { status, text } = await api('POST', '/api/v1/user/unmerge', { userID: 'u2' })
  assert.equal(status, 200, text)
}

/** Who was asked to be notified, by the name of the person each notification belongs to now. */
async function asked({ brand }: Walker): Promise<readonly string[]> {
  const { rows } = await deps.database.query<{ name: string }>(
    `select (select min(value) from profile_identities as i where i.brand_id = n.brand_id
       and i.profile_id = n.profile_id and kind = 'user_id') as name
     from notifications as n where brand_id = $1 order by id`,
    [brand.brandId],
  )
  return rows.map(({ name }) => name)
}

async function paths({ api, journeyId }: Walker) {
  return { u1: await pathOf(api, journeyId, 'u1'), u2: await pathOf(api, journeyId, 'u2') }
}

test('of two who turn out to be one only the first goes on, also when the first is through long before', async () => {
  const walker = await twoInside()
  await merge(walker)
  await walker.run(61 * MINUTE_MS)
  await walker.run(120 * MINUTE_MS)
  assert.deepEqual(await asked(walker), ['u1'])
})

test('two who are parted before either moved go on as if they had never been one', async () => {
  const walker = await twoInside()
  await merge(walker)
  await part(walker)
  await walker.run(61 * MINUTE_MS)
  await walker.run(120 * MINUTE_MS)
  assert.deepEqual(await paths(walker), { u1: REMINDED, u2: REMINDED })
  assert.deepEqual(await asked(walker), ['u1', 'u2'])
})

test('who was notified as one person is not notified again as two', async () => {
  const walker = await twoInside()
  await merge(walker)
  await walker.run(61 * MINUTE_MS)
  await part(walker)
  await walker.run(120 * MINUTE_MS)
  assert.deepEqual(await paths(walker), { u1: REMINDED, u2: ['entered', 'wait:waiting', 'merged'] })
  assert.deepEqual(await asked(walker), ['u1'])
})

test('who entered as one person stays with the one who survived, and nobody is stuck', async () => {
  const walker = await walk(REMINDER, { isMerging: true })
  await walker.api('POST', '/api/v1/user/create', { nv: [{ userID: 'u2', email: 'u2@x.example' }] })
  await walker.addDevice('u2')
  await merge(walker)
  await signUp(walker, 'u2')
  await walker.run(0)
  await part(walker)
  await walker.run(120 * MINUTE_MS)
  assert.deepEqual(await paths(walker), { u1: REMINDED, u2: [] })
  // The other one may enter now as anybody may who never was inside.
  await signUp(walker, 'u2')
  await walker.run(0)
  await walker.run(120 * MINUTE_MS)
  assert.deepEqual(await asked(walker), ['u1', 'u2'])
})

test('where a person may be inside several times at once, all go on', async () => {
  const walker = await twoInside({ ...REMINDER, reentry: 'always' })
  await merge(walker)
  await walker.run(61 * MINUTE_MS)
  assert.deepEqual(await asked(walker), ['u1'])
  await walker.run(120 * MINUTE_MS)
  assert.deepEqual(await asked(walker), ['u1', 'u1'])
})

test('who was in a segment does not enter it by turning out to be somebody else', async () => {
  const walker = await walk(
    async (api) => {
      const user = { userID: 'u2', email: 'u2@x.example', user_attributes: { plan: 'gold' } }
      await api('POST', '/api/v1/user/create', { nv: [user] })
      const token = randomBytes(80).toString('base64url')
      const device = await api('POST', '/api/v1/subscriptions', { platform: 'android', token, user_id: 'u2' })
      assert.equal(device.status, 200, device.text)
      const filter = { attribute: 'plan', is: 'eq', value: 'gold' }
      const made = await api('POST', '/api/v1/segments', { name: 'gold', filter })
      return { ...REMINDER, trigger: { segment_entered: field(made.body['segment'], 'segment_id') } }
    },
    { isMerging: true },
  )
  await walker.run(0)
  await merge(walker)
  await walker.run(2 * MINUTE_MS)
  assert.deepEqual(await paths(walker), { u1: [], u2: [] })
  // Now they are known to be in it by the name they have, and leaving and coming back is what it was.
  const setPlan = async (plan: string) =>
    walker.api('POST', '/api/v1/user/create', { nv: [{ userID: 'u1', user_attributes: { plan } }] })
  await setPlan('silver')
  await walker.run(4 * MINUTE_MS)
  await setPlan('gold')
  await walker.run(6 * MINUTE_MS)
  assert.deepEqual((await paths(walker)).u1, ['entered', 'wait:waiting'])
})
