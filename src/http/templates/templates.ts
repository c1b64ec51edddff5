import { fault } from '../../domain/fault.ts'
import { accept, type Rejection, type Result } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { SAVED_TEMPLATE_LIMITS, SNIPPET_LIMITS } from '../../rules/templates.ts'
import type { Db } from '../../store/db.ts'
import { loadSnippetTexts, lockSnippets } from '../../store/templates/snippets.ts'
import {
  archiveTemplate,
  changeTemplate,
  createTemplate,
  listTemplates,
  listTemplateVersions,
  loadTemplate,
  lockTemplate,
  type StoredTemplate,
  type TemplateContent,
  type TemplateRef,
} from '../../store/templates/templates.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { ARCHIVED_FIELD, nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { parseTemplateBody, TEMPLATE_RULES } from './body.ts'
import { checkContent } from './content.ts'
import { snippetNamesIn } from './resolve.ts'
import { renderTemplate, renderTemplateVersion } from './view.ts'

const { templatesMax, versionsMax } = SAVED_TEMPLATE_LIMITS
const TOO_MANY = {
  max: templatesMax,
  what: 'templates that are not archived',
  remedy: 'Archive one first.',
}
const TOO_OFTEN = {
  max: versionsMax,
  what: 'versions of a template',
  remedy: 'Duplicate it, and go on with the copy.',
}

/** POST /api/v1/templates */
export async function createOneTemplate(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseTemplateBody(TEMPLATE_RULES.create, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { name, content, platforms, warnings } = parsed.value
  if (name === null || content === null)
    throw new Error('a template was accepted without a name or a content')
  const { brandId } = request.caller
  return replyOnce(deps, request, async (tx) => {
    const written = { name, content, platforms: platforms ?? PLATFORM_NAMES }
    const checked = await checkTemplate(deps, tx, { brandId, ...written })
    if (!checked.ok) return refuse(checked.rejection)
    return saveNew(deps, tx, { brandId, content: checked.value, warnings })
  })
}

/** GET /api/v1/templates */
export async function listAllTemplates({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(TEMPLATE_QUERY, query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const { brandId } = caller
  const { archived: isArchived = false, text = null, renders = null } = value
  const wanted = { brandId, after, limit, isArchived, text, renders }
  const page = await database.asBrand(brandId, async (tx) => listTemplates(tx, wanted))
  const next = nextCursor(page, ({ id }) => String(id))
  const fields = { templates: page.rows.map(renderTemplate), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** GET /api/v1/templates/{template_id} */
export async function readOneTemplate({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = templateRef(request)
  if (ref === null) return refuse(unknownTemplate(request))
  const template = await database.asBrand(ref.brandId, async (tx) => loadTemplate(tx, ref))
  return template === null ? refuse(unknownTemplate(request)) : replyWith(template)
}

/** GET /api/v1/templates/{template_id}/versions: the newest first. */
export async function listVersionsOfTemplate({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(TEMPLATE_VERSION_QUERY, request.query), parseVersion)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { after, limit, warnings } = parsed.value
  const ref = templateRef(request)
  if (ref === null) return refuse(unknownTemplate(request))
  const wanted = { ...ref, before: after, limit }
  const page = await database.asBrand(ref.brandId, async (tx) => listTemplateVersions(tx, wanted))
  if (page.rows.length === 0 && after === null) return refuse(unknownTemplate(request))
  const next = nextCursor(page, ({ version }) => String(version))
  const fields = { versions: page.rows.map(renderTemplateVersion), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** GET /api/v1/templates/{template_id}/versions/{version} */
export async function readTemplateVersion({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = templateRef(request)
  const version = parseVersion(param(request, 'version'))
  if (ref === null || version === null) return refuse(unknownTemplate(request))
  const wanted = { ...ref, before: version + 1, limit: 1 }
  const page = await database.asBrand(ref.brandId, async (tx) => listTemplateVersions(tx, wanted))
  const [found] = page.rows
  if (found?.version !== version) return refuse(unknownTemplate(request))
  return replySuccess({ version: renderTemplateVersion(found) })
}

/** PATCH /api/v1/templates/{template_id}: makes a new version, if the body names the newest. */
export async function changeOneTemplate(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseTemplateBody(TEMPLATE_RULES.change, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { name, version, content, platforms, warnings } = parsed.value
  const ref = templateRef(request)
  if (ref === null) return refuse(unknownTemplate(request))
  return deps.database.asCaller(request, async (tx) => {
    const current = await lockTemplate(tx, ref)
    if (current === null) return refuse(unknownTemplate(request))
    const refusal = changeRefusal(current, version)
    if (refusal !== null) return refuse(refusal)
    const checked = await checkTemplate(deps, tx, {
      brandId: ref.brandId,
      name: name ?? current.name,
      content: content ?? current.content,
      platforms: platforms ?? current.platforms,
    })
    if (!checked.ok) return refuse(checked.rejection)
    const changed = await changeTemplate(tx, ref, { ...checked.value, now: deps.clock.now() })
    return replyWith(changed, warnings)
  })
}

/** POST /api/v1/templates/{template_id}/archive: saying it twice changes nothing. */
export async function archiveOneTemplate(deps: Deps, request: TenantRequest): Promise<Reply> {
  const ref = templateRef(request)
  if (ref === null) return refuse(unknownTemplate(request))
  const archived = await deps.database.asCaller(request, async (tx) =>
    archiveTemplate(tx, { ...ref, now: deps.clock.now() }),
  )
  return archived === null ? refuse(unknownTemplate(request)) : replyWith(archived)
}

/** POST /api/v1/templates/{template_id}/duplicate: a new template with the newest content; the first may be archived. */
export async function duplicateTemplate(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseTemplateBody(TEMPLATE_RULES.duplicate, request.body ?? {})
  if (!parsed.ok) return refuse(parsed.rejection)
  const { name, warnings } = parsed.value
  const ref = templateRef(request)
  if (ref === null) return refuse(unknownTemplate(request))
  return replyOnce(deps, request, async (tx) => {
    const from = await loadTemplate(tx, ref)
    if (from === null) return refuse(unknownTemplate(request))
    const { content, platforms, snippets } = from
    const copy = { name: name ?? from.name, content, platforms, snippets }
    return saveNew(deps, tx, { brandId: ref.brandId, content: copy, warnings })
  })
}

type NewTemplate = {
  readonly brandId: number
  readonly content: TemplateContent
  readonly warnings: readonly Warning[]
}

async function saveNew(deps: Deps, tx: Db, { brandId, content, warnings }: NewTemplate): Promise<Reply> {
  const template = await createTemplate(tx, { brandId, ...content, templatesMax, now: deps.clock.now() })
  if (template !== null) return replyWith(template, warnings)
  return refuse({ faults: [fault('template_limit', null, TOO_MANY)] })
}

type WrittenTemplate = {
  readonly brandId: number
  readonly name: string
  readonly content: JsonObject
  readonly platforms: readonly Platform[]
}

/** The lock keeps a snippet from being deleted between this check and the save. */
async function checkTemplate(
  { renderPayload, clock }: Deps,
  tx: Db,
  { brandId, name, content, platforms }: WrittenTemplate,
): Promise<Result<TemplateContent>> {
  const names = snippetNamesIn(content)
  if (names.length > 0) await lockSnippets(tx, brandId)
  const snippets = await loadSnippetTexts(tx, brandId, names)
  const checked = checkContent(content, { platforms, snippets, renderPayload, now: clock.now() })
  return checked.ok ? accept({ name, content: checked.value, platforms, snippets: names }) : checked
}

function changeRefusal({ version }: StoredTemplate, given: number | null): Rejection | null {
  if (given !== version) {
    return { faults: [fault('version_stale', 'version', { version, given: given ?? 'none' })] }
  }
  if (version < versionsMax) return null
  return { faults: [fault('template_limit', null, TOO_OFTEN)] }
}

export const TEMPLATE_QUERY = Type.Object({
  ...PAGE_FIELDS,
  ...ARCHIVED_FIELD,
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SAVED_TEMPLATE_LIMITS.nameCharsMax,
      description: 'A part of the name, in any case.',
    }),
  ),
  renders: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SNIPPET_LIMITS.nameCharsMax,
      description: 'Only those whose newest version renders this snippet itself.',
    }),
  ),
})
export const TEMPLATE_VERSION_QUERY = Type.Object(PAGE_FIELDS)

function parseVersion(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

export function templateRef(request: TenantRequest): TemplateRef | null {
  const templateId = parseInt64(param(request, 'template_id'))
  return templateId === null ? null : { brandId: request.caller.brandId, templateId }
}

/** The id is quoted only when it can be one: an address may hold anything. */
export function unknownTemplate(request: TenantRequest): Rejection {
  const id = parseInt64(param(request, 'template_id')) ?? 'with that id'
  return { faults: [fault('template_not_found', 'template_id', { id })] }
}

function replyWith(template: StoredTemplate, warnings: readonly Warning[] = []): Reply {
  return replySuccess({ template: renderTemplate(template) }, { warnings })
}
