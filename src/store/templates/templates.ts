import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import { lockOfBrand } from '../brand/lock.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'

/** A saved template with the content of one version, in the form it was written. */
export type StoredTemplate = {
  readonly id: bigint
  readonly name: string
  readonly version: number
  readonly content: JsonObject
  /** The platforms that the content was checked for. */
  readonly platforms: readonly Platform[]
  /** The snippets that the content renders. */
  readonly snippets: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly archivedAt: number | null
}

export type TemplateRef = { readonly brandId: number; readonly templateId: bigint }

/** The content of a version. */
export type TemplateContent = Pick<StoredTemplate, 'name' | 'content' | 'platforms' | 'snippets'>

type TemplateDraft = TemplateContent & {
  readonly brandId: number
  /** The most templates that a brand may have; archived ones do not count. */
  readonly templatesMax: number
  readonly now: number
}

/** Null when the brand has as many templates as it may. Two calls at once wait for each other. */
export async function createTemplate(tx: Db, draft: TemplateDraft): Promise<StoredTemplate | null> {
  const { brandId, name, templatesMax, now } = draft
  await lockOfBrand(tx, brandId, 'count of templates')
  const { rows } = await tx.query<{ id: bigint }>(
    `insert into templates (brand_id, name, created_at, updated_at) select $1, $2, $3, $3
     where (select count(*) from templates where brand_id = $1 and archived_at is null) < $4 returning id`,
    [brandId, name, new Date(now), templatesMax],
  )
  const [row] = rows
  if (row === undefined) return null
  const ref = { brandId, templateId: row.id }
  await insertVersion(tx, ref, { ...draft, version: 1 })
  return loadOwn(tx, ref)
}

/** Makes the next version. The caller holds the lock of the template. */
export async function changeTemplate(
  tx: Db,
  ref: TemplateRef,
  change: TemplateContent & { readonly now: number },
): Promise<StoredTemplate> {
  const { rows } = await tx.query<{ version: number }>(
    `update templates set name = $3, version = version + 1, updated_at = $4
     where brand_id = $1 and id = $2 returning version`,
    [ref.brandId, ref.templateId, change.name, new Date(change.now)],
  )
  const [row] = rows
  if (row === undefined) throw new Error('a template vanished while it was locked')
  await insertVersion(tx, ref, { ...change, version: row.version })
  return loadOwn(tx, ref)
}

async function insertVersion(
  tx: Db,
  { brandId, templateId }: TemplateRef,
  draft: TemplateContent & { readonly version: number; readonly now: number },
): Promise<void> {
  const { version, name, content, platforms, snippets, now } = draft
  await tx.query(
    `insert into template_versions (brand_id, template_id, version, name, content, platforms, snippets, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [brandId, templateId, version, name, encodeJson(content), platforms, snippets, new Date(now)],
  )
}

/** The template, locked until the transaction ends. */
export async function lockTemplate(tx: Db, ref: TemplateRef): Promise<StoredTemplate | null> {
  const { count } = await tx.query('select from templates where brand_id = $1 and id = $2 for update', [
    ref.brandId,
    ref.templateId,
  ])
  return count === 0 ? null : loadTemplate(tx, ref)
}

/** The template with its newest version, or with the named one. */
export async function loadTemplate(
  db: Db,
  { brandId, templateId, version = null }: TemplateRef & { readonly version?: number | null },
): Promise<StoredTemplate | null> {
  const { rows } = await db.query<StoredTemplate>(
    `select ${COLUMNS} from templates as t
     join template_versions as v on v.brand_id = t.brand_id and v.template_id = t.id
       and v.version = coalesce($3, t.version)
     where t.brand_id = $1 and t.id = $2`,
    [brandId, templateId, version],
  )
  return rows[0] ?? null
}

async function loadOwn(tx: Db, ref: TemplateRef): Promise<StoredTemplate> {
  const template = await loadTemplate(tx, ref)
  if (template === null) throw new Error('a template vanished while it was locked')
  return template
}

export type TemplateUse = { readonly templateId: bigint; readonly version: number | null }

/** The templates that may be used, in the order they are asked for; null for one that is archived or not there. */
export async function loadUsableTemplates(
  db: Db,
  brandId: number,
  uses: readonly TemplateUse[],
): Promise<readonly (StoredTemplate | null)[]> {
  const { rows } = await db.query<StoredTemplate & { readonly place: number }>(
    `select asked.place::integer, ${COLUMNS}
     from unnest($2::bigint[], $3::integer[]) with ordinality as asked (id, version, place)
     join templates as t on t.brand_id = $1 and t.id = asked.id and t.archived_at is null
     join template_versions as v on v.brand_id = t.brand_id and v.template_id = t.id
       and v.version = coalesce(asked.version, t.version)`,
    [brandId, uses.map(({ templateId }) => templateId), uses.map(({ version }) => version)],
  )
  const found = new Map(rows.map(({ place, ...template }) => [place, template]))
  return uses.map((_, at) => found.get(at + 1) ?? null)
}

type TemplatePage = {
  readonly brandId: number
  readonly after: bigint | null
  readonly limit: number
  readonly isArchived: boolean
  /** A part of the name; null for any. */
  readonly text: string | null
  /** A snippet that the content renders; null for any. */
  readonly renders: string | null
}

/** A page of a brand's templates by id, either the active or the archived ones. */
export async function listTemplates(db: Db, page: TemplatePage): Promise<RowPage<StoredTemplate>> {
  return readPage(db, {
    text: `select ${COLUMNS} from templates as t
     join template_versions as v on v.brand_id = t.brand_id and v.template_id = t.id and v.version = t.version
     where t.brand_id = $1 and ($2::bigint is null or t.id > $2) and (t.archived_at is not null) = $3
       and ($4::text is null or strpos(lower(t.name), lower($4)) > 0)
       and ($5::text is null or $5 = any(v.snippets))
     order by t.id limit $6`,
    values: [page.brandId, page.after, page.isArchived, page.text, page.renders, page.limit],
    limit: page.limit,
    kind: 'documents',
  })
}

export type TemplateVersion = TemplateContent & { readonly version: number; readonly createdAt: number }

/** The versions of a template, the newest first, from below `before` on. */
export async function listTemplateVersions(
  db: Db,
  {
    brandId,
    templateId,
    before,
    limit,
  }: TemplateRef & { readonly before: number | null; readonly limit: number },
): Promise<RowPage<TemplateVersion>> {
  return readPage(db, {
    text: `select version, name, content, platforms, snippets, created_at as "createdAt" from template_versions
     where brand_id = $1 and template_id = $2 and ($3::integer is null or version < $3)
     order by version desc limit $4`,
    values: [brandId, templateId, before, limit],
    limit: limit,
    kind: 'documents',
  })
}

/** Archives a template: nothing new may use it. A second call keeps the time of the first. */
export async function archiveTemplate(
  tx: Db,
  ref: TemplateRef & { readonly now: number },
): Promise<StoredTemplate | null> {
  const { count } = await tx.query(
    `update templates set archived_at = coalesce(archived_at, $3),
       updated_at = case when archived_at is null then $3 else updated_at end
     where brand_id = $1 and id = $2`,
    [ref.brandId, ref.templateId, new Date(ref.now)],
  )
  return count === 0 ? null : loadTemplate(tx, ref)
}

const COLUMNS = `t.id, v.name, v.version, v.content, v.platforms, v.snippets, t.created_at as "createdAt",
  t.updated_at as "updatedAt", t.archived_at as "archivedAt"`
