import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listCampaignPeople } from '../../src/store/campaigns/people-list.ts'
import { loadFigures } from '../../src/store/campaigns/results.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { eraseTraces } from '../../src/store/people/erasing.ts'
import { type ClaimedChunk, claimChunks, reclaimChunk } from '../../src/store/push/chunks.ts'
import { openChunks } from '../../src/store/push/open-chunks.ts'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { figureLines, recountFigures } from '../support/campaigns/recount.ts'
import { launchTrial, type TrialSeed } from '../support/campaigns/trial-launch.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { open, planDue, settle } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const CAMPAIGN = 1n
const CLAIM = { workerId: 'w', count: 100, leaseMs: 60_000, sizes: 'any' } as const

type Crowd = { readonly people?: number; readonly strangers?: number }

/** A campaign to people and to devices without a person, with its claimed chunks. */
async function campaign({ people = 0, strangers = 150 }: Crowd = {}, trial: Omit<TrialSeed, 'brandId'> = {}) {
  const { brandId } = await brand()
  for (let at = 0; at < people; at += 1)
    await seedSubscriptions(database, { brandId, userId: `u${at}`, count: 2 })
  const devices = await seedSubscriptions(database, { brandId, count: strangers })
  const notificationId = await launchTrial(database, { brandId, ...trial })
  await planDue(database)
  const claimed = await claimChunks(database, CLAIM)
  const chunks = claimed.filter((chunk) => chunk.brandId === brandId)
  const [chunk] = chunks
  assert.ok(chunk !== undefined)
  return { brandId, devices, notificationId, chunk, chunks }
}

async function openAll(chunks: readonly ClaimedChunk[]): Promise<void> {
  for (const chunk of chunks) await open(database, chunk)
}

/** The rows, the bits and the people of the campaign; the kept figures are those of a recount. */
async function stored(brandId: number) {
  const { rows } = await database.query<{ rows: number; bits: number; people: number }>(
    `select (select count(*)::integer from campaign_people where brand_id = $1) as rows,
       (select coalesce(sum(bit_count(bits)), 0)::integer from campaign_blocks where brand_id = $1) as bits,
       (select count(distinct profile_id)::integer from campaign_members where brand_id = $1) as people`,
    [brandId],
  )
  const kept = await loadFigures(database, { brandId, source: { kind: 'campaign', id: CAMPAIGN } })
  assert.deepEqual(figureLines(kept), await recountFigures(database, { brandId, campaignId: CAMPAIGN }))
  return rows[0]
}

async function figures(brandId: number): Promise<readonly string[]> {
  return figureLines(await loadFigures(database, { brandId, source: { kind: 'campaign', id: CAMPAIGN } }))
}

type Click = { readonly brandId: number; readonly notificationId: string; readonly ids: readonly bigint[] }

async function click({ brandId, notificationId, ids }: Click, now = 1_000): Promise<void> {
  const receipts = ids.map((subscriptionId) => ({
    notificationId,
    subscriptionId,
    kind: 'clicked' as const,
    button: null,
  }))
  await database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now }))
}

test('a campaign has a bit for each device without a person and a row for each person, also when it is opened again', async () => {
  const { brandId, chunk, chunks } = await campaign(
    { people: 60, strangers: 1_500 },
    { holdoutPercent: 20, controlPercent: 10 },
  )
  assert.ok(chunks.length > 1)
  await openAll(chunks)
  const all = { rows: 60, bits: 1_500, people: 1_560 }
  assert.deepEqual(await stored(brandId), all)
  await openAll(chunks)
  const recipients = (await open(database, chunk))?.recipients ?? []
  await settle(
    database,
    chunk,
    recipients.slice(0, 300).map(({ id }) => ({ recipientId: id })),
  )
  const ref = await reclaimChunk(database, chunk, CLAIM)
  assert.ok(ref !== null)
  await open(database, { ...chunk, ...ref })
  assert.deepEqual(await stored(brandId), all)
})

test('two openings of one chunk at once store each device once, and a lost claim stores nothing', async () => {
  const { brandId, chunk } = await campaign()
  await Promise.all([open(database, chunk), open(database, chunk), open(database, chunk)])
  assert.deepEqual(await stored(brandId), { rows: 0, bits: 150, people: 150 })

  const lost = await campaign()
  const opened = await database.asQueue(async (tx) => openChunks(losing(tx, lost.chunk), [lost.chunk]))
  assert.deepEqual(opened, [null])
  assert.deepEqual(await stored(lost.brandId), { rows: 0, bits: 0, people: 0 })
})

/** A transaction during which another worker claims the chunk, right after the chunk was loaded. */
function losing(tx: Db, chunk: ClaimedChunk): Db {
  return {
    query: async (statement, values) => {
      try {
        return await tx.query(statement, values)
      } finally {
        const isLoad = typeof statement !== 'string' && statement.name === 'load_chunks'
        if (isLoad) await reclaimChunk(database, chunk, CLAIM)
      }
    },
  }
}

test('a device that joins a chunk before it is opened again is added, whatever the others are stored as', async () => {
  const { brandId, devices, notificationId, chunk } = await campaign()
  const late = devices.slice(20, 30)
  const setState = async (state: string) =>
    database.query('update subscriptions set state = $3 where brand_id = $1 and id = any($2)', [
      brandId,
      late,
      state,
    ])
  await setState('unsubscribed')
  await open(database, chunk)
  await click({ brandId, notificationId, ids: devices.slice(0, 5) })
  assert.deepEqual(await stored(brandId), { rows: 5, bits: 135, people: 140 })
  await setState('live')
  const ref = await reclaimChunk(database, chunk, CLAIM)
  assert.ok(ref !== null)
  await open(database, { ...chunk, ...ref })
  assert.deepEqual(await stored(brandId), { rows: 5, bits: 145, people: 150 })
})

test('zones and a test of variants have rows, and so has a chunk with a bit or two', async () => {
  const zoned = await campaign()
  await database.query(`update chunks set zone = 'UTC' where brand_id = $1`, [zoned.brandId])
  await open(database, zoned.chunk)
  const tested = await campaign({}, { phase: { kind: 'test', percent: 100 } })
  await open(database, tested.chunk)
  const few = await campaign({ people: 60, strangers: 3 })
  await open(database, few.chunk)
  assert.equal((await stored(tested.brandId))?.bits, 0)
  assert.deepEqual(await stored(few.brandId), { rows: 63, bits: 0, people: 63 })
  const all = await stored(zoned.brandId)
  assert.equal(all?.bits, 0)
})

test('a device with a bit gets no row from a chunk that has rows', async () => {
  const { brandId, chunk } = await campaign()
  await open(database, chunk)
  await database.query('update chunks set is_bulk = false where brand_id = $1', [brandId])
  await open(database, chunk)
  assert.deepEqual(await stored(brandId), { rows: 0, bits: 150, people: 150 })
})

test('clicks at once on devices of one block make a row of each, noted once, and change no number of people', async () => {
  const { brandId, devices, notificationId, chunk } = await campaign()
  await open(database, chunk)
  const before = await figures(brandId)
  const [first = 0n, second = 0n, ...others] = devices.slice(0, 40)
  await Promise.all([
    click({ brandId, notificationId, ids: [first, second, ...others.slice(0, 20)] }),
    click({ brandId, notificationId, ids: [...others.slice(18), second, first].toReversed() }),
    click({ brandId, notificationId, ids: [second] }),
  ])
  await click({ brandId, notificationId, ids: [first] }, 2_000)
  assert.deepEqual(await stored(brandId), { rows: 40, bits: 110, people: 150 })
  const now = await figures(brandId)
  assert.deepEqual(
    now.filter((line) => line.startsWith('people')),
    before.filter((line) => line.startsWith('people')),
  )
  const { rows } = await database.query<{ at: number; count: number }>(
    `select clicked_at as at, count(*)::integer as count from campaign_people where brand_id = $1 group by 1`,
    [brandId],
  )
  assert.deepEqual(rows, [{ at: 1_000, count: 40 }])
})

test('a device that gets a person is one with the person, who stays in the group that they have', async () => {
  const { brandId, devices, chunk } = await campaign({ people: 60 })
  await open(database, chunk)
  const { rows } = await database.query<{ id: bigint; group: number }>(
    `select profile_id as id, trial_group::integer as group from campaign_people where brand_id = $1 limit 1`,
    [brandId],
  )
  const [person] = rows
  assert.ok(person !== undefined)
  const { rows: strangers } = await database.query<{ id: bigint }>(
    `insert into profiles (brand_id, created_at, updated_at) values ($1, now(), now()) returning id`,
    [brandId],
  )
  await Promise.all(
    devices
      .slice(0, 20)
      .map(async (device, at) =>
        database.asBrand(brandId, async (tx) =>
          tx.query('update subscriptions set profile_id = $3 where brand_id = $1 and id = $2', [
            brandId,
            device,
            at < 10 ? person.id : strangers[0]?.id,
          ]),
        ),
      ),
  )
  assert.deepEqual(await stored(brandId), { rows: 61, bits: 130, people: 191 })
  const { rows: kept } = await database.query(
    'select trial_group::integer as group from campaign_people where brand_id = $1 and profile_id = $2',
    [brandId, person.id],
  )
  assert.deepEqual(kept, [{ group: person.group }])
})

test('an erased person is taken off the figures, with the bits of their devices', async () => {
  const { brandId, devices, chunk } = await campaign()
  await open(database, chunk)
  await database.query(
    `insert into erasures (brand_id, profile_id, subscription_ids, subscription_names, identifiers, asked_at)
     values ($1, 7, $2, '{}', '{}', now())`,
    [brandId, devices.slice(3, 6)],
  )
  const erasing = { brandId, profileId: 7n }
  while (!(await database.asEngine(async (tx) => eraseTraces(tx, erasing, 100))));
  assert.deepEqual(await stored(brandId), { rows: 0, bits: 147, people: 147 })
})

test('a list of people has bits and rows in one order, and a page unpacks only the blocks that it shows', async () => {
  const { brandId, devices, notificationId, chunks } = await campaign({ people: 3, strangers: 5_000 })
  await openAll(chunks)
  await click({ brandId, notificationId, ids: devices.filter((id) => id % 7n === 0n) })
  const wanted = await database.query<{ id: bigint; group: number }>(
    `select profile_id as id, trial_group::integer as group from campaign_members where brand_id = $1 order by 1`,
    [brandId],
  )
  const page = { brandId, campaignId: CAMPAIGN, group: null, variant: null, did: null, limit: 700 } as const
  const seen: { readonly id: bigint; readonly group: number | null }[] = []
  for (let afterId: bigint | null = null; ; afterId = seen.at(-1)?.id ?? null) {
    const query = { ...page, afterId }
    const { rows, read } = await database.asBrand(brandId, async (tx) => {
      const before = await rowsRead(tx, 'campaign_blocks')
      const { rows: found } = await listCampaignPeople(tx, query)
      return { rows: found, read: (await rowsRead(tx, 'campaign_blocks')) - before }
    })
    if (rows.length === 0) break
    seen.push(...rows.map(({ id, trialGroup }) => ({ id, group: trialGroup })))
    assert.ok(read < 12, `${read} blocks were read for a page of ${page.limit}`)
  }
  assert.deepEqual(seen, wanted.rows)
  const { rows: ofB } = await database.asBrand(brandId, async (tx) =>
    listCampaignPeople(tx, { ...page, afterId: null, variant: 1, limit: 10 }),
  )
  assert.deepEqual(
    ofB.map(({ id }) => id),
    wanted.rows
      .filter(({ group }) => group === 1)
      .slice(0, 10)
      .map(({ id }) => id),
  )
})

test('after an upgrade bits are written when the release before is gone', async () => {
  const { brandId, chunk } = await campaign()
  await withOwner(url, async (owner) => {
    const migrated = async (age: string, name: string) =>
      owner.query('update schema_migrations set applied_at = now() - $1::interval where name = $2', [
        age,
        name,
      ])
    await migrated('1 day', 'schema')
    await migrated('1 minute', 'campaign-blocks')
    await open(database, chunk)
    assert.deepEqual(await stored(brandId), { rows: 150, bits: 0, people: 150 })
    await migrated('2 hours', 'campaign-blocks')
    await open(database, chunk)
    assert.deepEqual(await stored(brandId), { rows: 150, bits: 0, people: 150 })
    const next = await campaign()
    await open(database, next.chunk)
    assert.equal((await stored(next.brandId))?.bits, 150)
  })
})
