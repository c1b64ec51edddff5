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

test('dry_run of a campaign counts the devices of each language on each platform', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, platform: 'ios', count: 2 })
  await seedSubscriptions(database, { brandId, platform: 'web' })
  await database.query(`update subscriptions set language = 'iw' where brand_id = $1 and platform = 'ios'`, [
    brandId,
  ])
  const id = await campaigns.made(mine, {
    platforms: ['ios', 'web'],
    languages: { he: { title: 'שלום' } },
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { message: 'Come' } },
    ],
  })
  const { status, text, body } = await campaigns.act(mine, id, 'dry_run')
  assert.equal(status, 200, text)
  const { ios, web } = Object(body['platforms'])
  assert.deepEqual(
    [countsOf(ios), countsOf(web)],
    [
      ['he 2', 'default 0'],
      ['he 0', 'default 1'],
    ],
  )
  assert.match(JSON.stringify(ios.languages[0].payload), /שלום/)
  assert.match(JSON.stringify(ios.payload), /שלום/)
  assert.doesNotMatch(JSON.stringify(web.payload), /שלום/)
})

function countsOf({ languages }: { languages: readonly { language: string; devices: number }[] }) {
  return languages.map(({ language, devices }) => `${language} ${devices}`)
}
