import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { decideCampaign, runDecisions } from '../../src/pipeline/campaigns/decisions.ts'
import { runCampaignStates } from '../../src/pipeline/campaigns/states.ts'
import { skipAllDue } from '../../src/pipeline/push/skip-due.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { acceptContent, drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)
afterEach(async () => resumeSending(database))

const PEOPLE = 20
const VARIANTS = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 1, content: { message: 'Try them' } },
]
const WINNER = { by: 'click', test_percent: 50, after_hours: 1, otherwise: 'B' } as const

/** A campaign whose test is sent, and whose variants should have been compared two days ago: no worker ran since. */
async function overdue(fields: JsonObject = {}) {
  const mine = await server.brand()
  const { brandId } = mine
  for (let at = 0; at < PEOPLE; at += 1) await seedSubscriptions(database, { brandId, userId: `u${at}` })
  const id = await campaigns.launched(mine, {
    platforms: ['android'],
    variants: VARIANTS,
    winner: WINNER,
    ...fields,
  })
  const tested = await drain(database, { judge: acceptContent })
  await database.query(
    `update campaigns set decide_at = now() - interval '2 days', send_at = send_at - interval '2 days'
     where brand_id = $1 and id = $2`,
    [brandId, id],
  )
  return { mine, id, tested }
}

/** Runs the loops of a worker that are about campaigns, until the test ends. */
async function withWorker(body: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const context = { signal: stop.signal, log: memoryLog(), meters: loopMeters(new Metrics('test')) }
  const loops = [runDecisions, runCampaignStates].map(async (run) => run({ database }, context))
  try {
    await body()
  } finally {
    stop.abort()
    await Promise.all(loops)
  }
}

async function stateOf(brand: TestBrand, id: string): Promise<unknown> {
  return (await campaigns.read(brand, id))['state']
}

async function explained(brand: TestBrand, id: string, userId: string): Promise<string> {
  const path = `/api/v1/explain?user_id=${userId}&campaign=${id}`
  return (await call(server.port, { path, headers: keyHeaders(brand) })).text
}

test('variants whose time passed while no worker ran are compared when one comes, and the rest is sent', async () => {
  const { mine, id, tested } = await overdue()
  await withWorker(async () => {
    const rest: Awaited<ReturnType<typeof drain>>[number][] = []
    await until(
      async () => {
        rest.push(...(await drain(database, { judge: acceptContent })))
        return rest.length + tested.length === PEOPLE
      },
      { what: 'the rest of the audience' },
    )
    await until(async () => (await stateOf(mine, id)) === 'sent', { what: 'the end of the campaign' })
    const reached = [...tested, ...rest].map(({ recipient }) => recipient.id)
    assert.equal(new Set(reached).size, PEOPLE)
    const [last] = rest
    assert.ok(last !== undefined)
    const { rows } = await database.query<{ userId: string }>(
      `select value as "userId" from profile_identities where brand_id = $1 and profile_id = $2`,
      [mine.brandId, last.recipient.person],
    )
    const text = await explained(mine, id, rows[0]?.userId ?? '')
    assert.match(text, /not_in_test.*accepted.*variant B/s)
  })
})

test('the rest of the audience is addressed like the test, virtual devices and template included', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const headers = keyHeaders(mine)
  const content = { title: 'Hi', message: 'World' }
  const made = await call(server.port, { path: '/api/v1/templates', headers, body: { name: 'n', content } })
  const { template_id } = Object(made.body['template'])
  const before = Number(await campaigns.made(mine))
  const id = await campaigns.launched(mine, {
    platforms: ['android'],
    content: { template_id },
    audience: {
      filter: { attribute: 'city', is: 'exists' },
      users: ['ann'],
      except: { campaign_id: before },
    },
    include_virtual_devices: true,
    reach: 'latest_device',
    topic: 'transactional',
    notification_id: 7,
    per_second: 9,
    variants: VARIANTS,
    winner: WINNER,
  })
  await drain(database)
  await decideCampaign(database, { brandId, campaignId: BigInt(id) })
  const { rows } = await database.query<{ addressed: JsonObject }>(
    `select to_jsonb(n) - $2::text[] as addressed from notifications as n where brand_id = $1 order by id`,
    [brandId, OWN_COLUMNS],
  )
  assert.equal(rows.length, 2)
  assert.deepEqual(rows[1], rows[0])
  assert.ok(Object.values(rows[0]?.addressed ?? {}).includes(true))
})

/** The columns in which the notification to the rest is another one than that of the test. */
const OWN_COLUMNS =
  `id state trial wall created_at send_at expires_at plan_at zones_until finished_at throttled_until
  audience accepted failed expired cancelled pending`.split(/\s+/)

test('a comparison that came due during a hold is skipped with --skip-due: nothing more is sent', async () => {
  const { mine, id, tested } = await overdue()
  const later = await overdue()
  await database.query(
    `update campaigns set decide_at = now() + interval '1 hour' where brand_id = $1 and id = $2`,
    [later.mine.brandId, later.id],
  )
  await holdSending(database)
  await withWorker(async () => {
    await until(async () => (await stateOf(mine, id)) === 'deciding', { what: 'the end of the test' })
    const skipped = await skipAllDue({ database, log: memoryLog() })
    assert.equal(skipped.campaigns, 1)
    assert.equal((await skipAllDue({ database, log: memoryLog() })).campaigns, 0)
    await resumeSending(database)
    const read = await campaigns.read(mine, id)
    assert.deepEqual([read['state'], read['people_reached']], ['cancelled', tested.length])
    assert.deepEqual(await drain(database), [])
    assert.equal(await stateOf(later.mine, later.id), 'deciding', 'its time is still to come')
  })
})
