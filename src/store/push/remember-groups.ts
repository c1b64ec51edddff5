import type { Db } from '../db.ts'
import { type PackedBits, unpackAccepted } from './accepted-blocks.ts'
import { BLOCK_POWER, isPackedSql } from './delivery-sql.ts'
import { type GroupBlock, packGroups } from './group-blocks.ts'

/** The groups of the people of one chunk. */
export type ChunkGroups = {
  readonly brandId: number
  readonly campaignId: bigint
  readonly plannedAt: number
  /** A device without a person has its id made negative. */
  readonly groups: ReadonlyMap<bigint, number>
  /** Whether devices without a person are stored as bits; the chunk is locked then. */
  readonly arePacked: boolean
}

/**
 * Stores the group of each person, once: people as rows, which the key tells apart, and devices without a person as bits
 * (decision 0038). Such a device is in one chunk only. The lock of the chunk lets one opening follow the other, so that the
 * second sees the bits of the first.
 */
export async function rememberGroups(tx: Db, chunks: readonly ChunkGroups[]): Promise<void> {
  const parts = chunks.map(partChunk)
  const listed = parts.flatMap((part) => part.listed)
  const packed = parts.flatMap((part) => part.packed)
  if (listed.length > 0) await saveRows(tx, listed)
  if (packed.length > 0) await saveBlocks(tx, packed)
}

type ChunkParts = { readonly listed: readonly ChunkGroups[]; readonly packed: readonly ChunkGroups[] }

/** A few devices are not worth a block: their rows cost as little. Most chunks have only people, or only devices without one. */
function partChunk(chunk: ChunkGroups): ChunkParts {
  const { groups, arePacked } = chunk
  let devices = 0
  if (arePacked) for (const person of groups.keys()) if (person < 0n) devices += 1
  if (devices < PACKED_MIN) return { listed: [chunk], packed: [] }
  if (devices === groups.size) return { listed: [], packed: [chunk] }
  const [packed, listed] = [new Map<bigint, number>(), new Map<bigint, number>()]
  for (const [person, group] of groups) (person < 0n ? packed : listed).set(person, group)
  return { listed: [{ ...chunk, groups: listed }], packed: [{ ...chunk, groups: packed }] }
}

const PACKED_MIN = 4

async function saveRows(tx: Db, chunks: readonly ChunkGroups[]): Promise<void> {
  await tx.query(SAVE_ROWS, [
    chunks.map(({ brandId }) => brandId),
    chunks.map(({ campaignId }) => campaignId),
    chunks.map(({ plannedAt }) => new Date(plannedAt)),
    chunks.map(({ groups }) => groups.size),
    chunks.flatMap(({ groups }) => [...groups.keys()]),
    chunks.flatMap(({ groups }) => [...groups.values()]),
  ])
}

/**
 * Rows are written in order, so that two workers never wait for each other in a circle. The people of a chunk are a
 * slice of the arrays, so that what they share is sent once. A device may have its bit from an opening before.
 */
const SAVE_ROWS = {
  name: 'remember_groups',
  text: `insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at)
    select brand_id, campaign_id, given.person, given.trial_group, planned_at
    from (
      select *, (sum(people) over (order by place))::integer as last
      from unnest($1::integer[], $2::bigint[], $3::timestamptz[], $4::integer[])
        with ordinality as chunk (brand_id, campaign_id, planned_at, people, place)
    ) as chunk
    cross join lateral unnest(($5::bigint[])[last - people + 1:last], ($6::smallint[])[last - people + 1:last])
      as given (person, trial_group)
    where given.person > 0 or not exists (
      select from campaign_blocks as packed
      where packed.brand_id = chunk.brand_id and packed.campaign_id = chunk.campaign_id
        and ${isPackedSql('-given.person')} offset 0)
    order by brand_id, campaign_id, given.person
    on conflict do nothing`,
}

type ChunkBlock = Pick<ChunkGroups, 'brandId' | 'campaignId' | 'plannedAt'> & GroupBlock

async function saveBlocks(tx: Db, chunks: readonly ChunkGroups[]): Promise<void> {
  const all = chunks.map(({ groups }) => packGroups(groups))
  const known = await loadKnown(tx, chunks, all)
  const blocks = chunks.flatMap(
    ({ brandId, campaignId, plannedAt, groups }, index): readonly ChunkBlock[] => {
      const before = known.get(index)
      const added = before === undefined ? (all[index] ?? []) : packGroups(withoutKnown(groups, before))
      return added.map((block) => ({ brandId, campaignId, plannedAt, ...block }))
    },
  )
  if (blocks.length === 0) return
  await tx.query(SAVE_BLOCKS, [
    blocks.map(({ brandId }) => brandId),
    blocks.map(({ campaignId }) => campaignId),
    blocks.map(({ plannedAt }) => new Date(plannedAt)),
    blocks.map(({ block }) => block),
    blocks.map(({ firstPlace }) => firstPlace),
    blocks.map(({ trialGroup }) => trialGroup),
    blocks.map(({ bits }) => bits.toString('hex')),
  ])
}

const SAVE_BLOCKS = {
  name: 'remember_group_blocks',
  text: `insert into campaign_blocks (brand_id, campaign_id, planned_at, block, first_place, trial_group, bits)
    select brand_id, campaign_id, planned_at, block, first_place, trial_group, decode(bits, 'hex')
    from unnest($1::integer[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::smallint[], $6::smallint[], $7::text[])
      as given (brand_id, campaign_id, planned_at, block, first_place, trial_group, bits)`,
}

function withoutKnown(
  groups: ReadonlyMap<bigint, number>,
  known: readonly PackedBits[],
): ReadonlyMap<bigint, number> {
  const ids = unpackAccepted(known)
  return new Map([...groups].filter(([person]) => !ids.has(-person)))
}

/** The devices of the same blocks that the campaign has already, of this chunk or of its neighbours, by the place of the chunk. */
async function loadKnown(
  tx: Db,
  chunks: readonly ChunkGroups[],
  blocks: readonly (readonly GroupBlock[])[],
): Promise<ReadonlyMap<number, readonly PackedBits[]>> {
  const asked = chunks.flatMap((chunk, index) =>
    [...new Set((blocks[index] ?? []).map(({ block }) => block))].map((block) => ({ chunk, index, block })),
  )
  const { rows } = await tx.query<PackedBits & { readonly index: number }>(LOAD_KNOWN, [
    asked.map(({ chunk }) => chunk.brandId),
    asked.map(({ chunk }) => chunk.campaignId),
    asked.map(({ block }) => block),
    asked.map(({ index }) => index),
  ])
  return Map.groupBy(rows, ({ index }) => index)
}

/** A row is a block with one bit. */
const LOAD_KNOWN = {
  name: 'load_known_groups',
  text: `select asked.index, known.block, known.first_place as "firstPlace", known.bits
    from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::integer[]) as asked (brand_id, campaign_id, block, index)
    cross join lateral (
      select block, first_place, bits from campaign_blocks
      where brand_id = asked.brand_id and campaign_id = asked.campaign_id and block = asked.block
      union all
      select asked.block, (-profile_id - (asked.block << ${BLOCK_POWER}))::smallint, '\\x01' from campaign_people
      where brand_id = asked.brand_id and campaign_id = asked.campaign_id
        and profile_id > -((asked.block + 1) << ${BLOCK_POWER}) and profile_id <= -(asked.block << ${BLOCK_POWER})
      offset 0
    ) as known`,
}
