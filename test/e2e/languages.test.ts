import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Content } from '../../src/domain/push/message.ts'
import { advanceJourney } from '../../src/pipeline/journeys/steps.ts'
import type { Platform } from '../../src/rules/platforms.ts'
import { JourneyPlans } from '../../src/store/journeys/plans.ts'
import { seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'
import { anyContent, inLanguages } from '../support/push/content.ts'
import { newDevices, startEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

/** The language that each device gets its message in, through the sandbox. */
const engine = await startEngine()
after(engine.close)
const { database, sandbox } = engine
engine.startWorker()

type Reader = {
  /** The language of the device. */
  readonly device?: string
  /** The attributes of its person; without them the device has no person. */
  readonly person?: object
}

type Told = Readonly<Record<string, Partial<Content>>>

type Scene = {
  readonly readers: readonly Reader[]
  readonly languages: Told
  readonly brand?: string
  readonly content?: Partial<Content>
  readonly platform?: Platform
}

/** Sends to a new brand with these readers. Gives the title that each was shown, and the language that was noted. */
async function titlesOf({ readers, languages, brand, content: parts, platform = 'ios' }: Scene) {
  const { brandId } = await engine.brand()
  await database.query('update brands set language = $2 where id = $1', [brandId, brand ?? null])
  const devices = newDevices(engine, { platform, count: readers.length })
  const ids = await seedDevices(database, { brandId, platform, devices })
  for (const [at, reader] of readers.entries()) await describe({ brandId, id: ids[at] ?? 0n }, reader)
  const content = anyContent({ title: 'default', body: 'default body', ...parts })
  const alternatives = inLanguages(content, languages)
  const seed = { brandId, platform, target: { kind: 'all' }, content, alternatives } as const
  const id = await acceptNotification(database, seed)
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: readers.length, accepted: readers.length }))
  const { rows } = await database.query<{ language: string | null }>(
    'select language from deliveries where brand_id = $1 and notification_id = $2 order by subscription_id',
    [brandId, id],
  )
  return { titles: devices.map(titleAt), noted: rows.map(({ language }) => language) }
}

/** The title that a device was shown last. */
function titleAt({ address }: { readonly address: string }): string | undefined {
  const shown = sandbox.inbox.newest().find((arrival) => arrival.address === address)
  return /"title":"(?<title>[^"]*)"/.exec(JSON.stringify(shown?.payload))?.groups?.['title']
}

async function describe(
  { brandId, id }: { readonly brandId: number; readonly id: bigint },
  { device, person }: Reader,
): Promise<void> {
  await database.query(
    `with person as (
       insert into profiles (brand_id, attributes, created_at, updated_at)
       select $1, $4, now(), now() where $4::jsonb is not null returning id
     )
     update subscriptions set language = $3, profile_id = (select id from person) where brand_id = $1 and id = $2`,
    [brandId, id, device ?? null, person === undefined ? null : JSON.stringify(person)],
  )
}

const FRENCH_AND_OTHERS: Told = {
  fr: { title: 'fr' },
  'pt-BR': { title: 'pt-BR' },
  he: { title: 'he' },
  'zh-Hant': { title: 'zh-Hant' },
  zh: { title: 'zh' },
}

test('each device gets its own language, with its prefixes and its other names', async () => {
  const wanted = [
    ['fr-CA', 'fr'],
    ['pt-BR', 'pt-BR'],
    ['pt-PT', 'default'],
    ['iw-IL', 'he'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['zh-TW', 'zh-Hant'],
    ['zh-CN', 'zh'],
    ['tlh', 'default'],
  ] as const
  const { titles, noted } = await titlesOf({
    readers: wanted.map(([device]) => ({ device })),
    languages: FRENCH_AND_OTHERS,
  })
  assert.deepEqual(
    titles,
    wanted.map(([, title]) => title),
  )
  assert.deepEqual(noted, titles, 'the delivery notes the language')
})

test('the device decides, else the person, else the brand, else it is the default content', async () => {
  const readers = [
    { device: 'fr', person: { language: 'he' } },
    { device: 'xx', person: { language: 'iw_IL' } },
    { person: { language: 'fr-BE' } },
    { person: { language: 7 } },
    { person: { language: ['fr'] } },
    { device: 'xx', person: {} },
    {},
  ]
  const own = ['fr', 'he', 'fr']
  const withBrand = await titlesOf({ readers, languages: FRENCH_AND_OTHERS, brand: 'zh-Hant-HK' })
  assert.deepEqual(withBrand.titles, [...own, 'zh-Hant', 'zh-Hant', 'zh-Hant', 'zh-Hant'])
  const without = await titlesOf({ readers, languages: FRENCH_AND_OTHERS })
  assert.deepEqual(without.titles, [...own, 'default', 'default', 'default', 'default'])
  assert.deepEqual(without.noted, without.titles)
})

test('a template of one language is rendered for its readers, whatever the others hold', async () => {
  const { titles } = await titlesOf({
    readers: [{ device: 'fr', person: { name: 'Ann' } }, { device: 'de' }, { device: 'pt-BR' }],
    languages: { fr: { title: 'Bonjour {{ user.name }}' }, pt: { title: 'Olá' } },
    content: { title: 'Hello' },
  })
  assert.deepEqual(titles, ['Bonjour Ann', 'Hello', 'Olá'])
})

test('Android devices get their languages too', async () => {
  const { titles } = await titlesOf({
    readers: [{ device: 'fr' }, { device: 'ja' }],
    languages: { fr: { title: 'fr' } },
    platform: 'android',
  })
  assert.deepEqual(titles, ['fr', 'default'])
})

test('a notification in one language notes none', async () => {
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: 1 })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  await engine.untilOver({ brandId, id })
  const { rows } = await database.query('select language from deliveries where brand_id = $1', [brandId])
  assert.deepEqual(rows, [{ language: null }])
})

test('a journey’s send is in the language of each device', async () => {
  const { brandId } = await engine.brand()
  const send = { to: 'android', title: 'Hello', message: 'there', languages: { fr: { title: 'Bonjour' } } }
  const ref = await seedJourney(database, brandId, {
    trigger: { event: 'signup' },
    steps: [{ id: 'hello', send }],
  })
  const devices = newDevices(engine, { platform: 'android', count: 2 })
  await seedDueEnrolments(database, { ...ref, devices, step: 'hello', wakeAt: Date.now() - 1_000 })
  await database.query(`update subscriptions set language = 'fr-CH' where brand_id = $1 and address = $2`, [
    brandId,
    devices[0]?.address,
  ])
  await advanceJourney({ database, plans: new JourneyPlans(memoryLog()) }, ref)
  const { rows } = await database.query<{ id: string }>('select id from notifications where brand_id = $1', [
    brandId,
  ])
  assert.equal(rows.length, 2)
  for (const { id } of rows) await engine.untilOver({ brandId, id })
  assert.deepEqual(devices.map(titleAt), ['Bonjour', 'Hello'])
})
