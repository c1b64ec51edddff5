import { retrial, type Trial } from '../../domain/campaigns/assignment.ts'
import { type Division, divide, type StoredTrial } from '../../domain/campaigns/trial.ts'
import type { ContentOffer } from '../../domain/push/alternatives.ts'
import type { Db } from '../db.ts'
import type { Recipient } from './recipient.ts'

/** A chunk of a notification that may be part of a campaign. */
export type DividedChunk = {
  readonly brandId: number
  /** The place among the chunks that are opened together, counted from 1. */
  readonly place: number
  readonly attempt: number
  readonly campaignId: bigint | null
  readonly trial: StoredTrial | null
  readonly offer: ContentOffer | null
  readonly plannedAt: number
}

/** The recipients of chunks, by the place of the chunk. */
export type FoundRecipients = ReadonlyMap<number, readonly Recipient[]>

/**
 * Divides the recipients of each campaign's chunk into those who get a message and those who are held out, and remembers
 * the group of each person. The division follows from the person and the campaign, so a chunk that is opened again is
 * divided in the same way.
 */
export async function divideChunks(
  tx: Db,
  chunks: readonly DividedChunk[],
  found: FoundRecipients,
): Promise<ReadonlyMap<number, Division>> {
  const divided = chunks.flatMap((chunk) => {
    const { campaignId, trial, offer, place } = chunk
    if (campaignId === null || trial === null) return []
    const weights = (offer?.variants ?? []).map(({ weight }) => weight)
    const whole: Trial = { campaignId, weights, ...trial }
    const division = divide(chunk.attempt === 1 ? whole : retrial(whole), found.get(place) ?? [])
    return [{ chunk, campaignId, division }]
  })
  await rememberGroups(
    tx,
    divided
      .filter(({ chunk, division }) => chunk.attempt === 1 && division.groups.size > 0)
      .map(({ chunk: { brandId, plannedAt }, campaignId, division: { groups } }) => ({
        brandId,
        campaignId,
        plannedAt,
        groups,
      })),
  )
  return new Map(divided.map(({ chunk, division }) => [chunk.place, division]))
}

/** The recipients who get a message. Those who are held out were never part of the audience. */
export function withoutHeldOut(
  found: FoundRecipients,
  divisions: ReadonlyMap<number, Division>,
): FoundRecipients {
  if (divisions.size === 0) return found
  return new Map(
    [...found].map(([place, recipients]) => {
      const sentIds = divisions.get(place)?.sentIds
      return [place, sentIds === undefined ? recipients : recipients.filter(({ id }) => sentIds.has(id))]
    }),
  )
}

/** The groups of the people of one chunk. */
type ChunkGroups = {
  readonly brandId: number
  readonly campaignId: bigint
  readonly plannedAt: number
  readonly groups: ReadonlyMap<bigint, number>
}

async function rememberGroups(tx: Db, chunks: readonly ChunkGroups[]): Promise<void> {
  if (chunks.length === 0) return
  await tx.query(REMEMBER, [
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
 * slice of the arrays, so that what they share is sent once.
 */
const REMEMBER = {
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
    order by brand_id, campaign_id, given.person
    on conflict do nothing`,
}
