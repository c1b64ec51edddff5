import { retrial, type Trial } from '../../domain/campaigns/assignment.ts'
import { type Division, divide, type StoredTrial } from '../../domain/campaigns/trial.ts'
import type { ContentOffer } from '../../domain/push/alternatives.ts'
import type { Db } from '../db.ts'
import type { Recipient } from './recipient.ts'
import { rememberGroups } from './remember-groups.ts'

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
  /** Whether the groups of devices without a person are stored as bits. */
  readonly areGroupsPacked: boolean
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
      .map(({ chunk: { brandId, plannedAt, areGroupsPacked }, campaignId, division: { groups } }) => ({
        brandId,
        campaignId,
        plannedAt,
        groups,
        arePacked: areGroupsPacked,
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
      const isWhole = sentIds === undefined || sentIds.size === recipients.length
      return [place, isWhole ? recipients : recipients.filter(({ id }) => sentIds.has(id))]
    }),
  )
}
