import type { Content } from '../../domain/push/message.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'
import { NARROWING_COLUMNS } from './audience-sql.ts'
import { type ChosenContents, chooseContents, ONE_CONTENT } from './chosen-contents.ts'
import { type ChunkRef, LOCK_CLAIMED, refValues } from './chunks.ts'
import { type DividedChunk, divideChunks, type FoundRecipients, withoutHeldOut } from './divide-chunks.ts'
import { ARE_GROUPS_PACKED } from './packing-sql.ts'
import type { Recipient } from './recipient.ts'
import { type ChunkAudience, isChosen, loadListed, loadRange } from './recipients.ts'
import { tallySql } from './tally-sql.ts'
import { settleWithheld, WITHHOLDING_COLUMNS, type WithholdingChunk, withheldName } from './withheld.ts'

/** A claimed chunk with its message and its recipients. */
export type OpenChunk = ChosenContents & {
  readonly platform: Platform
  readonly content: Content
  readonly callerNotificationId: bigint | null
  /** The attributes of the event that the text may mention, when a journey sends it. */
  readonly event: JsonObject | null
  readonly perSecond: number | null
  readonly attempt: number
  /** How many attempts at its recipients had an outcome that nobody knows. */
  readonly unknowns: number
  /** The time zone of its recipients; null when the notification does not go by time zones. */
  readonly zone: string | null
  /** Whether the notification is cancelled: nothing more may be sent, and the chunk is to be ended. */
  readonly isCancelled: boolean
  readonly recipients: readonly Recipient[]
}

/**
 * Looks up the recipients of claimed chunks, as of now, without those that have an outcome already. The audience is
 * corrected by the difference to the planned number; a chunk without recipients is deleted. Gives the chunks in the
 * order of their refs, and null where the claim was lost. `now` is the database's clock unless it is given. Run it in
 * a transaction of `asQueue`.
 */
export async function openChunks(
  tx: Db,
  refs: readonly ChunkRef[],
  given: { readonly now?: number } = {},
): Promise<readonly (OpenChunk | null)[]> {
  const loaded = await withoutLost(tx, await loadChunks(tx, refs))
  const live = loaded.filter(({ state }) => state !== 'cancelled')
  const all = await loadRecipients(tx, live)
  const divisions = await divideChunks(tx, live, all)
  const found = withoutHeldOut(all, divisions)
  for (const chunk of live) {
    const { length } = found.get(chunk.place) ?? []
    if (length !== chunk.remaining) await correctChunk(tx, chunk, length)
  }
  const audiences = live.map((chunk) => ({ ...chunk, recipients: found.get(chunk.place) ?? [] }))
  const withheld = await settleWithheld(tx, audiences, given)
  const opened = new Map(
    loaded.map((chunk) => {
      const own = found.get(chunk.place) ?? []
      const recipients =
        withheld.size === 0 ? own : own.filter(({ id }) => !withheld.has(withheldName(chunk, id)))
      const variants = divisions.get(chunk.place)?.variants ?? NO_VARIANTS
      return [chunk.place, { ...chunk, isCancelled: chunk.state === 'cancelled', recipients, variants }]
    }),
  )
  const chosen = await chooseContents(tx, [...opened.values()])
  return refs.map((_, index) => {
    const chunk = opened.get(index + 1)
    return chunk === undefined ? null : { ...chunk, ...(chosen.get(chunk) ?? ONE_CONTENT) }
  })
}

/**
 * The recipients of a claimed chunk that have no outcome. A cancelled notification has them too: `openChunks` gives none for
 * it, since nothing more is sent, but an answer may have come before the cancellation and not be written yet.
 */
export async function loadUnsettled(db: Db, ref: ChunkRef): Promise<readonly bigint[]> {
  const chunks = await loadChunks(db, [ref])
  return [...(await loadRecipients(db, chunks)).values()].flat().map(({ id }) => id)
}

const NO_VARIANTS: ReadonlyMap<bigint, number> = new Map()

/**
 * Opens chunks of which nothing is to be written, without a transaction: nearly all that are for one person. Gives null
 * where the claim was lost, and undefined for a chunk that `openChunks` has to open.
 */
export async function openPlainChunks(
  db: Db,
  refs: readonly ChunkRef[],
): Promise<readonly (OpenChunk | null | undefined)[]> {
  const loaded = await loadChunks(db, refs)
  const plain = loaded.filter(isPlain)
  const listed = await loadListed(db, plain)
  const opened = new Map<number, OpenChunk | undefined>(loaded.map(({ place }) => [place, undefined]))
  for (const [index, chunk] of plain.entries()) {
    const recipients = listed[index] ?? []
    if (recipients.length !== chunk.remaining) continue
    opened.set(chunk.place, { ...chunk, ...ONE_CONTENT, isCancelled: false, recipients })
  }
  return refs.map((_, index) => (opened.has(index + 1) ? opened.get(index + 1) : null))
}

function isPlain(chunk: LoadedChunk): boolean {
  const { isListed, state, campaignId, offer, hasOptOuts, quietHours, cap } = chunk
  const isForAll = !hasOptOuts && quietHours === null && cap === null
  return isListed && state !== 'cancelled' && campaignId === null && offer === null && isForAll
}

type LoadedChunk = Omit<OpenChunk, 'isCancelled' | 'recipients' | keyof ChosenContents> &
  ChunkRef &
  ChunkAudience &
  DividedChunk &
  WithholdingChunk & {
    readonly remaining: number
    readonly state: string
    readonly brandLanguage: string | null
  }

async function loadChunks(tx: Db, refs: readonly ChunkRef[]): Promise<readonly LoadedChunk[]> {
  const { rows } = await tx.query<LoadedChunk>(LOAD, refValues(refs))
  return rows
}

/**
 * Counts under a frequency cap and bits of groups do not name the claim, so that chunks with one of them are locked before
 * they are written, and left out when their claim was lost since they were loaded.
 */
async function withoutLost(tx: Db, chunks: readonly LoadedChunk[]): Promise<readonly LoadedChunk[]> {
  const counted = chunks.filter(isLocked)
  if (counted.length === 0) return chunks
  const lock = { name: 'lock_claimed_chunks', text: LOCK_CLAIMED }
  const { rows } = await tx.query<{ place: bigint }>(lock, refValues(counted))
  const held = new Set(rows.map(({ place }) => counted[Number(place) - 1]))
  return chunks.filter((chunk) => !isLocked(chunk) || held.has(chunk))
}

function isLocked({ cap, areGroupsPacked }: LoadedChunk): boolean {
  return cap !== null || areGroupsPacked
}

/** Nothing is written and nothing locked: the claim keeps other workers away, and every later write names it. */
const LOAD = {
  name: 'load_chunks',
  text: `select asked.place::integer, c.brand_id as "brandId", c.id, c.claims, n.platform, n.content,
    n.alternatives - 'contents' as offer, brands.language as "brandLanguage",
    n.caller_notification_id as "callerNotificationId", n.event, n.per_second as "perSecond", c.attempt, c.unknowns,
    n.id as notification, c.first_id as "firstId", c.last_id as "lastId",
    c.subscription_ids is not null as "isListed", c.zone, c.remaining,
    n.state, n.segment_id as "segmentId", n.tag, case when n.subscription_ids is null then n.profile_id end as "profileId",
    brands.time_zone as "brandZone", ${NARROWING_COLUMNS}, n.trial,
    c.expires_at - n.hand_over_seconds * interval '1 second' as "plannedAt",
    (${ARE_GROUPS_PACKED}) is true as "areGroupsPacked",
    ${WITHHOLDING_COLUMNS}
  from unnest($1::integer[], $2::bigint[], $3::integer[]) with ordinality as asked (brand_id, id, claims, place)
  cross join lateral (
    select * from chunks where brand_id = asked.brand_id and id = asked.id and claims = asked.claims offset 0
  ) as c
  cross join lateral (
    select * from notifications where brand_id = c.brand_id and id = c.notification_id offset 0
  ) as n
  cross join lateral (
    select time_zone, language, frequency_cap, quiet_hours, has_opt_outs from brands where id = c.brand_id and deleted_at is null offset 0
  ) as brands`,
}

async function loadRecipients(tx: Db, chunks: readonly LoadedChunk[]): Promise<FoundRecipients> {
  const found = new Map<number, readonly Recipient[]>()
  const isByList = (chunk: LoadedChunk) => chunk.isListed && !isChosen(chunk)
  const listed = chunks.filter(isByList)
  for (const [index, recipients] of (await loadListed(tx, listed)).entries()) {
    const place = listed[index]?.place
    if (place !== undefined) found.set(place, recipients)
  }
  for (const chunk of chunks) if (!isByList(chunk)) found.set(chunk.place, await loadRange(tx, chunk))
  return found
}

async function correctChunk(tx: Db, { brandId, id, claims }: ChunkRef, found: number): Promise<void> {
  await tx.query(CORRECT, [brandId, id, found, claims])
}

const CORRECT = {
  name: 'correct_chunk',
  text: `with planned as materialized (
      select brand_id, id, notification_id, remaining from chunks
      where brand_id = $1 and id = $2 and claims = $4 for update
    ), ended as (
      delete from chunks using planned
      where chunks.brand_id = planned.brand_id and chunks.id = planned.id and $3::integer = 0
    ), resized as (
      update chunks set remaining = $3 from planned
      where chunks.brand_id = planned.brand_id and chunks.id = planned.id and $3 > 0
    )
    ${tallySql('planned', { correction: '$3 - remaining' })}`,
}
