import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { CampaignCalls, campaignIn } from '../support/campaigns/calls.ts'
import { startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

test('a campaign’s languages lie over the content of each platform', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, platform: 'ios' })
  await seedSubscriptions(database, { brandId, platform: 'web' })
  await database.query(`update subscriptions set language = 'fr-CA' where brand_id = $1`, [brandId])
  const made = await campaigns.create(mine, {
    platforms: ['ios', 'web'],
    content: { title: 'Teas', message: 'Come', url: 'https://shop.example/en' },
    ios: { title: 'Tea' },
    languages: { fr: { message: 'Venez' } },
  })
  assert.equal(made.status, 200, made.text)
  await campaigns.act(mine, String(campaignIn(made)['campaign_id']), 'launch')
  const drained = await drain(database)
  const shown = drained.map(({ chunk }) => {
    const [choice] = chunk.choices.values()
    const content = chunk.contents.get(choice?.key ?? '')
    return [chunk.platform, choice?.language, content?.title, content?.body, content?.url].join(' ')
  })
  assert.deepEqual(shown.toSorted(), [
    'ios fr Tea Venez https://shop.example/en',
    'web fr Teas Venez https://shop.example/en',
  ])
})

test('400 names the language of a campaign, once for all platforms', async () => {
  const mine = await server.brand()
  const refused = await campaigns.create(mine, {
    languages: { fr: { title: 'x'.repeat(PLATFORMS.ios.titleCharsMax + 1), ttl_seconds: 5 } },
  })
  assert.equal(refused.status, 400)
  assert.deepEqual(
    Object(refused.body['errors']).map(({ field }: { field: string }) => field),
    ['languages.fr.title', 'languages.fr.ttl_seconds'],
  )
})
