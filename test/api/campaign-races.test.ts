import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { catchUp } from '../support/events/counting.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'
import { acceptContent, type Drained, drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)
const users = new UserCalls(server)

const ROUNDS = 6
/** So many that both variants occur among them. */
const PAIRS = 20

test('a launch raced against a change: both are taken, and only the new text leaves, once', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId, count: 2 })
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await campaigns.made(mine, { platforms: ['android'], undo_seconds: 60 })
    const edit = { version: 1, content: { title: 'New', message: 'text' } }
    const calls = [() => campaigns.act(mine, id, 'launch'), () => campaigns.change(mine, id, edit)]
    const ordered = round % 2 === 0 ? calls : calls.toReversed()
    const answers = await Promise.all(ordered.map(async (send) => send()))
    for (const { status, text } of answers) assert.equal(status, 200, text)
    const drained = await drain(database, { now: Date.now() + 120_000 })
    assert.deepEqual(
      drained.map(({ chunk }) => chunk.content.title),
      ['New', 'New'],
    )
  }
})

test('a launch raced against a cancel: nothing leaves, and the campaign is cancelled', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId, count: 2 })
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await campaigns.made(mine, { platforms: ['android'], undo_seconds: 60 })
    const [launch, cancel] = await Promise.all([
      campaigns.act(mine, id, 'launch'),
      campaigns.act(mine, id, 'cancel'),
    ])
    assert.equal(cancel.status, 200, cancel.text)
    if (launch.status !== 200) assert.deepEqual(codesIn(launch), ['campaign_state'])
    assert.equal((await campaigns.read(mine, id))['state'], 'cancelled')
    assert.deepEqual(await drain(database, { now: Date.now() + 120_000 }), [])
  }
})

test('two people who merge between two chunks of an A/B campaign have one variant, and no device gets two', async () => {
  const mine = await users.mergingBrand()
  const { brandId } = mine
  const pairs = Array.from({ length: PAIRS }, (_, at) => at)
  // The person with the phone is created first, and survives the merge.
  for (const at of pairs) {
    await users.post(mine, 'create', { nv: [{ userID: `phone-${at}`, email: `old-${at}@x.example` }] })
    await seedSubscriptions(database, { brandId, platform: 'android', userId: `phone-${at}` })
  }
  for (const at of pairs) {
    await users.post(mine, 'create', { nv: [{ userID: `page-${at}`, email: `p-${at}@x.example` }] })
    await seedSubscriptions(database, { brandId, platform: 'web', userId: `page-${at}` })
  }
  await campaigns.launched(mine, {
    platforms: ['android', 'web'],
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { message: 'Try them' } },
    ],
  })
  // The pages wait until the people have merged.
  await hold(brandId, 'infinity')
  const first = await drain(database, { judge: acceptContent })
  assert.deepEqual(
    [first.length, new Set(first.map(({ chunk }) => chunk.platform))],
    [PAIRS, new Set(['android'])],
  )
  for (const at of pairs) {
    const merged = await users.post(mine, 'create', {
      nv: [{ userID: `phone-${at}`, email: `p-${at}@x.example` }],
    })
    assert.equal(merged.status, 200, merged.text)
  }
  await catchUp(database, brandId)
  await hold(brandId, '-infinity')
  const second = await drain(database, { judge: acceptContent })
  assert.equal(second.length, PAIRS)
  const reached = [...first, ...second].map(({ recipient }) => recipient.id)
  assert.equal(new Set(reached).size, 2 * PAIRS)
  const variants = variantsByPerson([...first, ...second])
  assert.equal(variants.size, PAIRS, 'the survivors are the people of the phones')
  for (const [person, own] of variants) assert.equal(own.size, 1, `person ${person}`)
  assert.equal(new Set([...variants.values()].flatMap((own) => [...own])).size, 2)
})

async function hold(brandId: number, until: string): Promise<void> {
  await database.query(
    `update notifications set plan_at = $2::timestamptz where brand_id = $1 and platform = 'web'`,
    [brandId, until],
  )
}

function variantsByPerson(messages: readonly Drained[]): ReadonlyMap<bigint, ReadonlySet<unknown>> {
  const byPerson = Map.groupBy(messages, ({ recipient }) => recipient.person)
  return new Map(
    [...byPerson].map(([person, own]) => [
      person,
      new Set(own.map(({ recipient, chunk }) => chunk.choices.get(recipient.id)?.variant)),
    ]),
  )
}
