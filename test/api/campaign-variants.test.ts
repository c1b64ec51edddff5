import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { decideCampaign } from '../../src/pipeline/campaigns/decisions.ts'
import { moveCampaign } from '../../src/pipeline/campaigns/states.ts'
import { findDecisions } from '../../src/store/campaigns/decisions.ts'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { CampaignCalls, campaignIn } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { startServer } from '../support/processes/server.ts'
import { acceptContent, type Drained, drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

const VARIANTS = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 1, content: { message: 'Try them' } },
]

async function people(brandId: number, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await seedSubscriptions(database, { brandId, userId: `u${at}` })
}

async function resultsOf(brand: TestBrand, id: string): Promise<JsonObject> {
  const { body } = await campaigns.results(brand, id)
  const { results } = body
  assert.ok(isJsonObject(results), JSON.stringify(body))
  return results
}

function textOf({ recipient, chunk }: Drained): string | undefined {
  return (chunk.contents.get(chunk.choices.get(recipient.id)?.key ?? '') ?? chunk.content).body
}

async function click(brandId: number, messages: readonly Drained[]): Promise<void> {
  const { rows } = await database.query<{ id: string; subscriptionId: bigint }>(
    `select notification_id as id, subscription_id as "subscriptionId" from all_deliveries
     where brand_id = $1 and subscription_id = any($2)`,
    [brandId, messages.map(({ recipient }) => recipient.id)],
  )
  const receipts = rows.map(({ id, subscriptionId }) => ({
    notificationId: id,
    subscriptionId,
    kind: 'clicked' as const,
    button: null,
  }))
  await database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now: Date.now() }))
}

test('200 for a test send of each variant, or of the one that is named; 400 for one that does not exist', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ada' })
  await database.query(`update subscriptions set language = 'fr' where brand_id = $1`, [mine.brandId])
  const id = await campaigns.made(mine, {
    notification_id: 7,
    platforms: ['android'],
    languages: { fr: { message: 'Six nouveaux.' } },
    variants: [VARIANTS[0], { ...VARIANTS[1], languages: { fr: { message: 'Goûtez.' } } }],
  })
  const sent = async (body: JsonObject): Promise<readonly string[]> => {
    const answer = await campaigns.act(mine, id, 'test', { user_ids: ['ada'], ...body })
    assert.equal(answer.status, 200, answer.text)
    return (await drain(database)).map((one) => textOf(one) ?? '').toSorted()
  }
  assert.deepEqual(await sent({}), ['Goûtez.', 'Six nouveaux.'])
  assert.deepEqual(await sent({ variant: 'B' }), ['Goûtez.'])
  assert.deepEqual(await sent({ variant: 'A' }), ['Six nouveaux.'])
  const { rows } = await database.query<{ id: bigint | null }>(
    'select caller_notification_id as id from notifications as n where brand_id = $1 order by n.id',
    [mine.brandId],
  )
  assert.deepEqual(
    rows.map((row) => row.id),
    [null, null, 7n, 7n],
    'two variants do not replace each other on the device',
  )
  const unknown = await campaigns.act(mine, id, 'test', { user_ids: ['ada'], variant: 'C' })
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /variant.*it must be one of A, B/s)
  const figures = await resultsOf(mine, id)
  assert.equal(figures['people'], 0, 'a test counts for nothing')
})

test('400 for variants, a winner or a goal that cannot be', async () => {
  const mine = await server.brand()
  const winner = { by: 'click', test_percent: 20, after_hours: 4, otherwise: 'A' }
  const flawed: readonly (readonly [JsonObject, string])[] = [
    [{ variants: [VARIANTS[0]] }, 'variants'],
    [{ variants: Array.from({ length: 9 }, (_, at) => ({ name: `${at}`, weight: 1 })) }, 'variants'],
    [{ variants: [VARIANTS[0], VARIANTS[0]] }, 'variants'],
    [{ variants: VARIANTS.map((one) => ({ ...one, weight: 0 })) }, 'variants'],
    [{ variants: [VARIANTS[0], { name: 'B', weight: -1 }] }, 'variants[1].weight'],
    [
      { variants: [VARIANTS[0], { name: 'B', weight: 1, content: { titel: 'x' } }] },
      'variants[1].content.titel',
    ],
    [
      { variants: [VARIANTS[0], { name: 'B', weight: 1, ios: { title: 'x'.repeat(71) } }] },
      'variants[1].ios.title',
    ],
    [{ winner }, 'winner'],
    [{ variants: VARIANTS, winner: { ...winner, otherwise: 'C' } }, 'winner.otherwise'],
    [{ variants: VARIANTS, winner: { ...winner, by: 'goal' } }, 'winner.by'],
    [{ variants: VARIANTS, winner: { ...winner, confidence: 0.5 } }, 'winner.confidence'],
    [{ variants: VARIANTS, winner: { ...winner, test_percent: 0 } }, 'winner.test_percent'],
    [{ holdout_percent: 51 }, 'holdout_percent'],
    [{ goal: { event: 'purchase', from: 'launch', within_days: 3 } }, 'goal.from'],
    [{ goal: { event: 'purchase', from: 'click', within_days: 31 } }, 'goal.within_days'],
  ]
  for (const [change, field] of flawed) {
    const answer = await campaigns.create(mine, change)
    assert.equal(answer.status, 400, JSON.stringify(change))
    assert.match(
      JSON.stringify(answer.body['errors']),
      new RegExp(`"field":"${RegExp.escape(field)}"`),
      field,
    )
  }
})

test('a campaign with variants and a holdout sends each person one of them, and its results add up', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await people(brandId, 300)
  const id = await campaigns.made(mine, { variants: VARIANTS, holdout_percent: 20 })
  assert.equal((await campaigns.act(mine, id, 'launch')).status, 200)
  const drained = await drain(database, { judge: acceptContent })
  const texts = Map.groupBy(drained, textOf)
  assert.deepEqual(new Set(texts.keys()), new Set(['Six new ones.', 'Try them']))
  await click(brandId, (texts.get('Try them') ?? []).slice(0, 40))

  const results = await resultsOf(mine, id)
  assert.equal(Number(results['people']) + Number(results['held_out']), 300)
  assert.equal(results['people'], drained.length)
  const variants = results['variants']
  assert.ok(Array.isArray(variants))
  assert.deepEqual(
    variants.map((one) => [
      one.name,
      one.people,
      one.devices.accepted,
      Math.round(one.clicked.rate * one.people),
    ]),
    [
      ['A', texts.get('Six new ones.')?.length, texts.get('Six new ones.')?.length, 0],
      ['B', texts.get('Try them')?.length, texts.get('Try them')?.length, 40],
    ],
  )
  assert.deepEqual(results['receipts'], { clicked: 40 })
  assert.deepEqual(results['decision'], null)
})

test('a brand with a control group holds the same people out of every campaign', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await people(brandId, 200)
  await database.query('update brands set control_percent = 20 where id = $1', [brandId])
  const reached: ReadonlySet<bigint>[] = []
  for (let round = 0; round < 2; round += 1) {
    const id = await campaigns.made(mine)
    await campaigns.act(mine, id, 'launch')
    reached.push(new Set((await drain(database)).map(({ recipient }) => recipient.person)))
    const results = await resultsOf(mine, id)
    assert.equal(Number(results['people']) + Number(results['in_control']), 200)
  }
  assert.deepEqual(reached[0], reached[1])
  assert.ok((reached[0]?.size ?? 0) < 190)
})

const WINNER = { by: 'click', test_percent: 50, after_hours: 1, otherwise: 'A' } as const

/** Launches a campaign with a test, sends the test, and lets `share` of the people with variant B click. */
async function testedCampaign(share: number) {
  const mine = await server.brand()
  await people(mine.brandId, 400)
  const id = await campaigns.made(mine, { variants: VARIANTS, winner: WINNER })
  await campaigns.act(mine, id, 'launch')
  const tested = await drain(database, { judge: acceptContent })
  const withB = tested.filter((message) => textOf(message) === 'Try them')
  const withA = tested.filter((message) => textOf(message) !== 'Try them')
  await click(mine.brandId, withB.slice(0, Math.floor(withB.length * share)))
  await click(mine.brandId, withA.slice(0, 10))
  return { mine, id, tested, ref: { brandId: mine.brandId, campaignId: BigInt(id) } }
}

async function isDue(brandId: number, now: number): Promise<boolean> {
  return (await findDecisions(database, { now, limit: 100 })).some((ref) => ref.brandId === brandId)
}

test('the better variant goes to the rest when its time has come, also long after, and only once', async () => {
  const { mine, id, tested, ref } = await testedCampaign(0.6)
  const { brandId } = mine
  assert.ok(tested.length > 150 && tested.length < 250, String(tested.length))
  assert.equal(await isDue(brandId, Date.now()), false)
  const late = Date.now() + 100 * 3_600_000
  assert.equal(await isDue(brandId, late), true)
  await Promise.all([decideCampaign(database, ref), decideCampaign(database, ref)])
  assert.equal(await isDue(brandId, late), false)

  const rest = await drain(database, { judge: acceptContent })
  assert.deepEqual(new Set(rest.map(textOf)), new Set(['Try them']))
  assert.equal(rest.length + tested.length, 400)
  assert.equal(new Set([...rest, ...tested].map(({ recipient }) => recipient.id)).size, 400)
  const { decision } = await resultsOf(mine, id)
  assert.ok(isJsonObject(decision))
  assert.deepEqual([decision['kind'], decision['variant']], ['winner', 'B'])
})

test('without a real difference the rest gets what the campaign says, and the campaign says so', async () => {
  const { mine, id, ref } = await testedCampaign(0.12)
  await decideCampaign(database, ref)
  const rest = await drain(database)
  assert.deepEqual(new Set(rest.map(textOf)), new Set(['Six new ones.']))
  const { decision } = await resultsOf(mine, id)
  assert.ok(isJsonObject(decision))
  assert.deepEqual([decision['kind'], decision['variant']], ['no_difference', 'A'])
})

test('a test that is sent by each subscriber’s own time is compared after the last zone', async () => {
  const mine = await server.brand()
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  const schedule = { schedule_date: day, schedule_time: '09:00', time_zone: 'subscriber' }
  const id = await campaigns.launched(mine, { variants: VARIANTS, winner: WINNER, ...schedule })
  const { rows } = await database.query<{ decideAt: number }>(
    'select decide_at as "decideAt" from campaigns where brand_id = $1 and id = $2',
    [mine.brandId, id],
  )
  assert.equal(rows[0]?.decideAt, Date.parse(`${day}T09:00:00-12:00`) + 3_600_000)
})

test('a campaign that is cancelled before its variants are compared sends nothing more', async () => {
  const { mine, id, ref } = await testedCampaign(0.6)
  await moveCampaign(database, ref)
  assert.equal((await campaigns.read(mine, id))['state'], 'deciding')
  const cancelled = campaignIn(await campaigns.act(mine, id, 'cancel'))
  assert.equal(cancelled['state'], 'cancelled')
  await decideCampaign(database, ref)
  assert.equal((await drain(database)).length, 0)
})

test('a variant has its own words in each language, or else those of the campaign', async () => {
  const mine = await server.brand()
  const id = await campaigns.made(mine, {
    platforms: ['web'],
    languages: { fr: { message: 'Six nouveaux' }, de: { message: 'Sechs neue' } },
    variants: [VARIANTS[0], { ...VARIANTS[1], languages: { fr: { message: 'Goûtez-les' } } }],
  })
  await campaigns.act(mine, id, 'launch')
  const { rows } = await database.query<{ contents: JsonObject }>(
    `select jsonb_object_agg(key, coalesce(value ->> 'body', content ->> 'body')) as contents
     from notifications, jsonb_each(alternatives -> 'contents') where brand_id = $1 group by id`,
    [mine.brandId],
  )
  assert.deepEqual(rows[0]?.contents, {
    '0/': 'Six new ones.',
    '0/de': 'Sechs neue',
    '0/fr': 'Six nouveaux',
    '1/': 'Try them',
    '1/de': 'Sechs neue',
    '1/fr': 'Goûtez-les',
  })
  const liquid = { message: '{{ user.city }}'.repeat(40) }
  const tags = Array.from('abcdefghijklmnopqrst', (letter) => `x${letter}`)
  const many = await campaigns.create(mine, {
    languages: Object.fromEntries(tags.map((tag) => [tag, liquid])),
    variants: Array.from({ length: 8 }, (_, at) => ({ name: `${at}`, weight: 1 })),
  })
  assert.match(JSON.stringify(many.body['errors']), /"code":"field_too_long","field":"variants"/)
  const flawed = await campaigns.create(mine, {
    variants: [VARIANTS[0], { ...VARIANTS[1], languages: { fr: { title: 'x'.repeat(300) } } }],
  })
  assert.match(JSON.stringify(flawed.body['errors']), /"field":"variants\[1\]\.languages\.fr\.title"/)
})
