import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import type { CampaignState } from '../../rules/campaigns.ts'
import { lockOfBrand } from '../brand/lock.ts'
import type { Db } from '../db.ts'
import { containsSql } from '../folded-text.ts'
import { type RowPage, readPage } from '../page.ts'

export type CampaignRef = { readonly brandId: number; readonly campaignId: bigint }

/** A campaign with its document, in the form it was written, but for the list of people. */
export type StoredCampaign = {
  readonly id: bigint
  readonly name: string
  readonly state: CampaignState
  readonly reason: string | null
  readonly version: number
  readonly document: JsonObject
  readonly tags: readonly string[]
  /** The ids of API keys. */
  readonly createdBy: string
  readonly requestedBy: string | null
  readonly approvedBy: string | null
  readonly requestedAt: number | null
  readonly approvedAt: number | null
  readonly launchedAt: number | null
  readonly sendAt: number | null
  readonly finishedAt: number | null
  readonly archivedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  /** The people in the audience when it was counted last, and those with an accepted message at the end. */
  readonly people: number | null
  readonly peopleReached: number | null
  /** How many people the audience lists. */
  readonly usersListed: number
  /** Whether its variants are still to be compared. */
  readonly isUndecided: boolean
}

export type CampaignDraft = {
  readonly brandId: number
  readonly name: string
  readonly tags: readonly string[]
  readonly document: JsonObject
  /** The name of an actor, `key:12`. */
  readonly createdBy: string
  /** The most campaigns that a brand may have; archived ones do not count. */
  readonly campaignsMax: number
  readonly now: number
}

/** Stores a draft and gives its id; null when the brand has as many as it may. Two calls at once wait for each other. */
export async function createCampaign(tx: Db, draft: CampaignDraft): Promise<bigint | null> {
  const { brandId, name, tags, document, createdBy, campaignsMax, now } = draft
  await lockOfBrand(tx, brandId, 'count of campaigns')
  const { rows } = await tx.query<{ id: bigint }>(
    `insert into campaigns (brand_id, name, tags, document, created_by, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, $6
     where (select count(*) from campaigns where brand_id = $1 and archived_at is null) < $7 returning id`,
    [brandId, name, tags, encodeJson(document), createdBy, new Date(now), campaignsMax],
  )
  return rows[0]?.id ?? null
}

export type CampaignEdit = {
  readonly name: string | null
  readonly tags: readonly string[] | null
  readonly document: JsonObject
  readonly now: number
}

/** Writes a change of a locked campaign. */
export async function changeCampaign(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { name, tags, document, now }: CampaignEdit,
): Promise<void> {
  await tx.query(
    `update campaigns set name = coalesce($3, name), tags = coalesce($4, tags), document = $5,
       version = version + 1, updated_at = $6
     where brand_id = $1 and id = $2`,
    [brandId, campaignId, name, tags, encodeJson(document), new Date(now)],
  )
}

/** The campaign, locked until the transaction ends. Its notifications are locked after it, never before. */
export async function lockCampaign(tx: Db, ref: CampaignRef): Promise<StoredCampaign | null> {
  const { count } = await tx.query('select from campaigns where brand_id = $1 and id = $2 for update', [
    ref.brandId,
    ref.campaignId,
  ])
  return count === 0 ? null : loadCampaign(tx, ref)
}

export async function loadCampaign(
  db: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<StoredCampaign | null> {
  const { rows } = await db.query<StoredCampaign>(
    `select ${COLUMNS} from campaigns as c where c.brand_id = $1 and c.id = $2`,
    [brandId, campaignId],
  )
  return rows[0] ?? null
}

/** Whether the brand has the campaign, in any state. */
export async function hasCampaign(db: Db, { brandId, campaignId }: CampaignRef): Promise<boolean> {
  const { count } = await db.query('select from campaigns where brand_id = $1 and id = $2', [
    brandId,
    campaignId,
  ])
  return count === 1
}

export type CampaignPage = {
  readonly brandId: number
  readonly state: CampaignState | null
  /** A part of the name, in any case. */
  readonly text: string | null
  readonly tag: string | null
  readonly isArchived: boolean
  /** By the time of creation. */
  readonly from: number | null
  readonly to: number | null
  readonly before: bigint | null
  readonly limit: number
}

/** A page of campaigns, newest first. */
export async function listCampaigns(db: Db, page: CampaignPage): Promise<RowPage<StoredCampaign>> {
  return readPage(db, {
    text: `select ${COLUMNS} from campaigns as c
     where c.brand_id = $1 and ($2::text is null or c.state = $2)
       and ($3::text is null or ${containsSql('c.name', '$3')})
       and ($4::text is null or c.tags @> array[$4]) and (c.archived_at is not null) = $5
       and ($6::timestamptz is null or c.created_at >= $6) and ($7::timestamptz is null or c.created_at < $7)
       and ($8::bigint is null or c.id < $8)
     order by c.id desc limit $9`,
    values: [
      page.brandId,
      page.state,
      page.text,
      page.tag,
      page.isArchived,
      page.from === null ? null : new Date(page.from),
      page.to === null ? null : new Date(page.to),
      page.before,
      page.limit,
    ],
    limit: page.limit,
    kind: 'documents',
  })
}

const COLUMNS = `c.id, c.name, c.state, c.reason, c.version, c.document, c.tags, c.created_by as "createdBy",
  c.requested_by as "requestedBy", c.approved_by as "approvedBy", c.requested_at as "requestedAt",
  c.approved_at as "approvedAt", c.launched_at as "launchedAt", c.send_at as "sendAt", c.finished_at as "finishedAt",
  c.archived_at as "archivedAt", c.created_at as "createdAt", c.updated_at as "updatedAt", c.people,
  c.people_reached as "peopleReached", c.decide_at is not null and c.decision is null as "isUndecided",
  case when c.document -> 'audience' ? 'users' then (select count(*)::integer from campaign_users as u
    where u.brand_id = c.brand_id and u.campaign_id = c.id) else 0 end as "usersListed"`
