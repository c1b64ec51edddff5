import type { BrandSettings } from '../../domain/brand/brand.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'
import { IS_KEPT } from './brand-state.ts'

/** A tenant. `id` stays inside; callers send `externalId` as x-brand-id. */
export type Brand = BrandSettings & {
  readonly id: number
  readonly externalId: string
  readonly createdAt: number
  /** The time of deletion, while rows are left to purge; null for a live brand. */
  readonly deletedAt: number | null
  /** Until when a deleted brand can be restored; null for a live brand, and for one that is deleted for good. */
  readonly restorableUntil: number | null
}

export type BrandDraft = { readonly externalId: string; readonly name: string; readonly now: number }

/**
 * The brand with this external id, made if there is none. Processes that start together may all ask: one makes the
 * brand, the others wait for its commit and read it. A brand that can be restored is given as it is.
 */
export async function ensureBrand(db: Db, draft: BrandDraft): Promise<Brand & { readonly isNew: boolean }> {
  const { count } = await db.query(
    `insert into brands (external_id, name, created_at) values ($1, $2, $3)
     on conflict (external_id) do nothing`,
    [draft.externalId, draft.name, new Date(draft.now)],
  )
  const brand = await loadKeptBrand(db, draft.externalId)
  if (brand === null) throw new Error(`brand ${draft.externalId} vanished while it was made`)
  return { ...brand, isNew: count === 1 }
}

/** Makes a brand; null when the external id is taken. */
export async function createBrand(
  tx: Db,
  { externalId, name, timeZone, now }: BrandDraft & Pick<BrandSettings, 'timeZone'>,
): Promise<{ readonly id: number } | null> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into brands (external_id, name, time_zone, created_at) values ($1, $2, $3, $4)
     on conflict (external_id) do nothing returning id`,
    [externalId, name, timeZone, new Date(now)],
  )
  return rows[0] ?? null
}

export async function loadBrand(db: Db, externalId: string): Promise<Brand | null> {
  const { rows } = await db.query<Brand>(
    `select ${COLUMNS} from brands where external_id = $1 and deleted_at is null`,
    [externalId],
  )
  return rows[0] ?? null
}

/** The same, also of a brand that is deleted and can be restored. */
export async function loadKeptBrand(db: Db, externalId: string): Promise<Brand | null> {
  const { rows } = await db.query<Brand>(
    `select ${COLUMNS} from brands where external_id = $1 and ${IS_KEPT}`,
    [externalId],
  )
  return rows[0] ?? null
}

/**
 * A page of brands by id. A deleted brand is listed until the purge is done. `afterId` is the last one of the page
 * before.
 */
export async function listBrands(
  db: Db,
  page: { readonly afterId: number; readonly limit: number },
): Promise<readonly Brand[]> {
  const { rows } = await db.query<Brand>(`select ${COLUMNS} from brands where id > $1 order by id limit $2`, [
    page.afterId,
    page.limit,
  ])
  return rows
}

/** Replaces the settings that a brand chooses for itself. */
export async function saveBrandSettings(db: Db, brandId: number, settings: BrandSettings): Promise<void> {
  await db.query(
    `update brands set name = $2, time_zone = $3, profile_merging = $4, allowed_origins = $5,
       identity_verification = $6, frequency_cap = $7, default_sound = $8, language = $9, control_percent = $10,
       quiet_hours = $11, approval_above = $12
     where id = $1`,
    [
      brandId,
      settings.name,
      settings.timeZone,
      settings.profileMerging,
      settings.allowedOrigins,
      settings.identityVerification,
      settings.frequencyCap,
      settings.defaultSound,
      settings.language,
      settings.controlPercent,
      settings.quietHours === null ? null : encodeJson(settings.quietHours),
      settings.approvalAbove,
    ],
  )
}

/** The sound of the brand's notifications that name none; null for none. */
export async function loadDefaultSound(db: Db, brandId: number): Promise<string | null> {
  const { rows } = await db.query<{ sound: string | null }>(
    'select default_sound as sound from brands where id = $1',
    [brandId],
  )
  return rows[0]?.sound ?? null
}

/** The language of the brand; null when it is not set. */
export async function loadBrandLanguage(db: Db, brandId: number): Promise<string | null> {
  const { rows } = await db.query<{ language: string | null }>('select language from brands where id = $1', [
    brandId,
  ])
  return rows[0]?.language ?? null
}

/** The number of people above which a campaign needs a second consent; null for none. */
export async function loadApprovalAbove(db: Db, brandId: number): Promise<number | null> {
  const { rows } = await db.query<{ above: number | null }>(
    'select approval_above as above from brands where id = $1',
    [brandId],
  )
  return rows[0]?.above ?? null
}

/** The percentage of people who get no campaigns. */
export async function loadControlPercent(db: Db, brandId: number): Promise<number> {
  const { rows } = await db.query<{ percent: number }>(
    'select control_percent as percent from brands where id = $1',
    [brandId],
  )
  return rows[0]?.percent ?? 0
}

/** The name of a brand that is not deleted for good, for people. */
export async function loadBrandName(db: Db, brandId: number): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(`select name from brands where id = $1 and ${IS_KEPT}`, [
    brandId,
  ])
  return rows[0]?.name ?? null
}

const COLUMNS = `id, external_id as "externalId", name, time_zone as "timeZone",
  profile_merging as "profileMerging", allowed_origins as "allowedOrigins",
  identity_verification as "identityVerification", frequency_cap as "frequencyCap", default_sound as "defaultSound",
  language, control_percent as "controlPercent", quiet_hours as "quietHours", approval_above as "approvalAbove",
  created_at as "createdAt",
  deleted_at as "deletedAt", restorable_until as "restorableUntil"`
