import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Chain, DRAFT, startChains } from '../support/campaigns/check-chains.ts'

const chains = await startChains()
after(chains.close)
const { server, sandbox, database, campaigns, explain, register, change, untilSent } = chains

test('the chain says what a launch then does, person by person', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  const people = Array.from({ length: 48 }, (_, at) => `p${at}`)
  const tokens = new Map<string, string>()
  for (const [at, userId] of people.entries()) {
    const tags = at % 3 === 0 ? {} : { tags: ['tea'] }
    tokens.set(
      await register(brand, { userId, platform: at % 5 === 0 ? 'ios' : 'android', more: tags }),
      userId,
    )
    if (at % 4 === 0)
      tokens.set(await register(brand, { userId, platform: 'ios', more: { tags: ['tea'] } }), userId)
  }
  await change(brand, 'has_opt_outs = true, frequency_cap = 1, control_percent = 10')
  const numbered = `(select profile_id from profile_identities where brand_id = $1 and kind = 'user_id' and value = any($2))`
  const some = (modulus: number) => people.filter((_, at) => at % modulus === 1)
  await database.query(
    `update profiles set opt_outs = '{"*": "2026-05-01T10:00:00.000Z"}' where brand_id = $1 and id in ${numbered}`,
    [brandId, some(7)],
  )
  await database.query(
    `update subscriptions set state = 'unsubscribed' where brand_id = $1 and profile_id in ${numbered}`,
    [brandId, some(11)],
  )
  const before = await campaigns.launched(brand, { audience: { users: some(5) }, content: DRAFT.content })
  await untilSent(brand, before)

  const title = 'Compared'
  const campaign = await campaigns.made(brand, {
    audience: { tag: 'tea' },
    platforms: ['android', 'ios'],
    reach: 'latest_device',
    holdout_percent: 20,
    content: { title, message: 'Six new ones.' },
  })
  const told = new Map<string, Chain>()
  for (const userId of people) told.set(userId, await explain(brand, { userId, campaign }))
  await campaigns.act(brand, campaign, 'launch')
  await untilSent(brand, campaign)
  const arrived = new Set(
    sandbox.inbox
      .newest(1_000)
      .filter(({ payload }) => JSON.stringify(payload).includes(title))
      .map(({ address }) => tokens.get(address)),
  )
  const promised = people.filter((userId) => told.get(userId)?.wouldReach === true)
  assert.deepEqual(
    people.filter((userId) => arrived.has(userId)),
    promised,
  )
  const stops = new Set([...told.values()].map(({ failed }) => failed))
  for (const stop of [null, 'subscribed', 'audience', 'group', 'topic', 'frequency_cap'])
    assert.ok(stops.has(stop), `somebody stops at ${stop}`)
})
