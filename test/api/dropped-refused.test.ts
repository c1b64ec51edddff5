import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { freshDatabase, type TestBrand } from '../support/database/database.ts'
import { openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn, push } from '../support/push/calls.ts'

const { url, database, brand, drop } = await freshDatabase()
const { eventFiles, ...opened } = await openFiles()
const frozen = await openFrozen({ url, database }, { ...opened, eventFiles })
/** A segment "bought within a year" needs 7 events, one of each person, and the bound is 5. */
const cold = frozen.openCold({ bringMax: 5 })
const server = await startServer({ deps: { eventFiles, database: cold } })
const campaigns = new CampaignCalls(server)
after(async () => {
  await server.close()
  await cold.close()
  await frozen.close()
  await drop()
})

const SEEN = { event: 'see', within_days: 365 } as const

/** A brand whose 30 events of seven people have no rows. */
async function droppedBrand(): Promise<TestBrand> {
  const one = await brand()
  const events = Array.from({ length: 30 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
  await frozen.store(one.brandId, events)
  await frozen.round()
  await frozen.drop()
  const { count } = await database.query('select from events where brand_id = $1', [one.brandId])
  assert.equal(count, 0)
  return one
}

function assertRefused(answer: Answer, needed: string): void {
  assert.deepEqual([answer.status, codesIn(answer)], [422, ['too_many_old_events']], answer.text)
  assert.match(answer.text, new RegExp(`This needs ${needed} events .* at most 5 can be brought`))
  assert.match(answer.text, /BECKON_EVENT_ROWS_DAYS/)
}

test('422 in every lane when events without rows are more than a statement may bring', async () => {
  const one = await droppedBrand()
  const preview = await call(server.port, {
    path: '/api/v1/segments/preview',
    headers: keyHeaders(one),
    body: { filter: SEEN },
  })
  assertRefused(preview, '7')

  const { rows } = await database.query<{ id: bigint }>(
    `insert into segments (brand_id, name, filter, created_at, updated_at) values ($1, 'x', $2, now(), now())
     returning id`,
    [one.brandId, JSON.stringify(SEEN)],
  )
  const segment_id = rows[0]?.id
  assertRefused(await push(server.port, one, { mode: 'segment', body: { segment_id } }), '7')

  const id = await campaigns.made(one, { audience: { segment_id: Number(segment_id) } })
  for (const action of ['dry_run', 'launch']) assertRefused(await campaigns.act(one, id, action), '7')
  assert.equal((await campaigns.read(one, id))['state'], 'draft')
})
