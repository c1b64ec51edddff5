import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { StoredTrial } from '../../src/domain/campaigns/trial.ts'
import type { Alternatives } from '../../src/domain/push/alternatives.ts'
import { loadFigures } from '../../src/store/campaigns/results.ts'
import { figureLines, recountFigures } from '../support/campaigns/recount.ts'
import { atLength } from '../support/length.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { anyContent } from '../support/push/content.ts'
import { newDevices } from '../support/push/engine.ts'
import { acceptNotification, countsOf } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

// Each kill may repeat messages, and the first message of everybody must still be there at the end.
const { engine, workers, close } = await startKillable({ arrivalsMax: 200_000 })
after(close)

const KILLS = atLength(40)
/** Half of the devices have a person, who has two of them; the others have none. */
const DEVICES = 4_000
const PEOPLE = DEVICES / 4 + DEVICES / 2
const ARRIVALS_BETWEEN = Math.floor(DEVICES / (KILLS + 2))

const TEXTS = ['text of A', 'text of B']
const VARIANTS: Alternatives = {
  languages: [],
  variants: [
    { name: 'A', weight: 1 },
    { name: 'B', weight: 1 },
  ],
  contents: Object.fromEntries(TEXTS.map((body, at) => [`${at}/`, anyContent({ body, ttlSeconds: 3_600 })])),
}

test('workers killed in the middle of a campaign give nobody two variants, and the counts add up', async () => {
  const { database, sandbox } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: DEVICES })
  const ids = await seedDevices(database, { brandId, platform: 'ios', devices })
  await pairUp(
    brandId,
    ids.filter((_, place) => place % 4 < 2),
  )
  const id = await launch(brandId)

  let running = [await workers.start(), await workers.start()]
  for (let kills = 0; kills < KILLS; kills += 1) {
    const arrived = sandbox.inbox.total
    await engine.until(
      async () => sandbox.inbox.total > arrived + ARRIVALS_BETWEEN || (await isOver(brandId)),
    )
    const [victim, ...others] = running
    if (victim !== undefined) await workers.kill(victim)
    running = [...others, await workers.start()]
  }
  const found = await engine.untilOver({ brandId, id })
  const { audience, accepted } = countsOf(found)
  assert.equal(found.state, 'sent')
  assert.equal(accepted, audience)

  const texts = await textsByPerson(brandId)
  for (const [person, seen] of texts)
    assert.equal(seen.size, 1, `person ${person} got ${[...seen].join(', ')}`)
  const { rows } = await database.query<{ group: number; people: number; owned: number; devices: number }>(
    `select p.trial_group::integer as group, count(distinct p.profile_id)::integer as people,
       count(*)::integer as owned, count(d.subscription_id)::integer as devices
     from campaign_members as p
     join subscriptions as s on s.brand_id = p.brand_id and coalesce(s.profile_id, -s.id) = p.profile_id
     left join all_deliveries as d on d.brand_id = s.brand_id and d.subscription_id = s.id
       and d.state = 'accepted' and d.variant = p.trial_group
     where p.brand_id = $1 group by p.trial_group`,
    [brandId],
  )
  const sent = rows.filter(({ group }) => group >= 0)
  assert.equal(
    texts.size,
    sent.reduce((sum, { people }) => sum + people, 0),
    'a text arrived at everybody who was sent to',
  )
  assert.equal(
    rows.reduce((sum, { people }) => sum + people, 0),
    PEOPLE,
  )
  assert.equal(
    rows.reduce((sum, { owned }) => sum + owned, 0),
    DEVICES,
    'everybody is in one group, once',
  )
  assert.equal(
    sent.reduce((sum, row) => sum + row.devices, 0),
    accepted,
  )
  for (const { owned, devices: reached } of sent) assert.equal(reached, owned)
  const packed = await database.query('select from campaign_blocks where brand_id = $1', [brandId])
  assert.ok(packed.count > 0, 'devices without a person are bits')
  const kept = await loadFigures(database, { brandId, source: { kind: 'campaign', id: 1n } })
  assert.deepEqual(figureLines(kept), await recountFigures(database, { brandId, campaignId: 1n }))
})

/** Gives every two devices one person. */
async function pairUp(brandId: number, ids: readonly bigint[]): Promise<void> {
  await engine.database.query(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at)
       select $1, now(), now() from generate_series(1, $3) returning id
     ), numbered as (
       select id, row_number() over (order by id) as place from person
     )
     update subscriptions as s set profile_id = numbered.id
     from unnest($2::bigint[]) with ordinality as device (id, place)
     join numbered on numbered.place = (device.place + 1) / 2
     where s.brand_id = $1 and s.id = device.id`,
    [brandId, ids, ids.length / 2],
  )
}

/** A notification of a campaign to everybody, with two variants and a holdout. */
async function launch(brandId: number): Promise<string> {
  const { database } = engine
  const timing = { kind: 'after', delayMs: 3_600_000 } as const
  const target = { kind: 'all' } as const
  const id = await acceptNotification(database, {
    brandId,
    platform: 'ios',
    target,
    alternatives: VARIANTS,
    timing,
  })
  const trial: StoredTrial = { holdoutPercent: 10, controlPercent: 0, phase: { kind: 'whole' } }
  await database.query(
    `update notifications set campaign_id = 1, trial = $3, send_at = now(), plan_at = now()
     where brand_id = $1 and id = $2`,
    [brandId, id, JSON.stringify(trial)],
  )
  return id
}

async function isOver(brandId: number): Promise<boolean> {
  const { rows } = await engine.database.query(
    `select from notifications where brand_id = $1 and state = 'sent'`,
    [brandId],
  )
  return rows.length > 0
}

/** The texts that arrived on the devices of each person. */
async function textsByPerson(brandId: number): Promise<ReadonlyMap<bigint, ReadonlySet<string>>> {
  const { rows } = await engine.database.query<{ address: string; person: bigint }>(
    'select address, coalesce(profile_id, -id) as person from subscriptions where brand_id = $1',
    [brandId],
  )
  const personOf = new Map(rows.map(({ address, person }) => [address, person]))
  const texts = new Map<bigint, Set<string>>()
  for (const { address, payload } of engine.sandbox.inbox.newest()) {
    const person = personOf.get(address)
    const text = TEXTS.find((words) => JSON.stringify(payload).includes(words))
    if (person !== undefined && text !== undefined)
      texts.set(person, (texts.get(person) ?? new Set()).add(text))
  }
  return texts
}
