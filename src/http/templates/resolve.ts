import { type Fault, fault } from '../../domain/fault.ts'
import type { TemplateOrigin } from '../../domain/push/notification.ts'
import { inlineSnippets, type SnippetTexts } from '../../domain/push/snippets.ts'
import { snippetTagsIn } from '../../domain/push/template.ts'
import { accept, type Rejection, type Result, reject } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { LANGUAGE_LIMITS } from '../../rules/languages.ts'
import type { Platform } from '../../rules/platforms.ts'
import { TEMPLATE_FIELDS } from '../../rules/templates.ts'
import type { Db } from '../../store/db.ts'
import { loadSnippetTexts } from '../../store/templates/snippets.ts'
import {
  loadUsableTemplates,
  type StoredTemplate,
  type TemplateUse,
} from '../../store/templates/templates.ts'
import { LIQUID_FIELDS } from '../push/field-rules.ts'

/** The templates and snippets that some bodies name, loaded. */
export type ContentSource = {
  readonly templates: ReadonlyMap<string, StoredTemplate>
  readonly snippets: SnippetTexts
}

/** The fields of a body with those of its template, and with its snippets put in. */
export type ResolvedFields = {
  readonly fields: JsonObject
  /** The names of the fields that the template filled in. */
  readonly filled: ReadonlySet<string>
  readonly template: TemplateOrigin | null
}

/** Runs a query in a transaction of the brand: in the one that is open, or in a new one. */
export type RunInBrand = (work: (tx: Db) => Promise<ContentSource>) => Promise<ContentSource>

/** Loads what the bodies name. Most bodies name nothing, and cost no transaction. */
export async function loadContentSource(
  run: RunInBrand,
  brandId: number,
  bodies: readonly unknown[],
): Promise<ContentSource> {
  const given = bodies.filter(isJsonObject)
  const uses = [...new Map(given.flatMap(useIn).map((use) => [keyOf(use), use])).values()]
  const names = given.flatMap(snippetNamesIn)
  if (uses.length === 0 && names.length === 0) return NO_SOURCE
  return run(async (tx) => {
    const found = await loadUsableTemplates(tx, brandId, uses)
    const templates = uses.flatMap((use, at) => {
      const template = found[at] ?? null
      return template === null ? [] : [[keyOf(use), template] as const]
    })
    const inTemplates = templates.flatMap(([, { snippets }]) => snippets)
    const snippets = await loadSnippetTexts(tx, brandId, [...new Set([...names, ...inTemplates])])
    return { templates: new Map(templates), snippets }
  })
}

/** Whether any of the bodies names a template or a snippet. */
export function namesSources(bodies: readonly unknown[]): boolean {
  return bodies.filter(isJsonObject).some((body) => useIn(body).length > 0 || snippetNamesIn(body).length > 0)
}

/** No template and no snippet. */
export const NO_SOURCE: ContentSource = { templates: new Map(), snippets: new Map() }

/** A field that the body has wins over the template's. `prefix` is the path of the body, for faults. */
export function resolveFields(
  { templates, snippets }: ContentSource,
  body: JsonObject,
  prefix = '',
): Result<ResolvedFields> {
  const [use] = useIn(body)
  const template = use === undefined ? null : (templates.get(keyOf(use)) ?? null)
  if (use !== undefined && template === null) {
    const version = use.version === null ? '' : ` of version ${use.version}`
    return reject(fault('template_not_found', `${prefix}template_id`, { id: `${use.templateId}${version}` }))
  }
  const filling = Object.entries(template?.content ?? {}).filter(([name]) => (body[name] ?? null) === null)
  const origin = template === null ? null : { templateId: template.id, version: template.version }
  const version = origin === null ? {} : { template_version: origin.version }
  const merged = { ...body, ...Object.fromEntries(filling), ...version }
  const resolved = { filled: new Set(filling.map(([name]) => name)), template: origin }
  const inlined = inlineTexts(merged, snippets, prefix)
  if (inlined.ok) return accept({ ...resolved, fields: inlined.value })
  return { ok: false, rejection: blameTemplate({ ...resolved, prefix }, inlined.rejection, 'any platform') }
}

export type Blamed = Pick<ResolvedFields, 'filled' | 'template'> & { readonly prefix?: string }

/** Names the template, and the platform, in each fault of a field that the template filled in. */
export function blameTemplate(
  { filled, template, prefix = '' }: Blamed,
  { faults, ...rest }: Rejection,
  platform: Platform | 'any platform' | 'every platform of the campaign',
): Rejection {
  if (template === null) return { faults, ...rest }
  const field = `Template ${template.templateId}, version ${template.version},`
  const blamed = (flaw: Fault): Fault => {
    const name = flaw.field?.slice(prefix.length).split('.')[0] ?? ''
    if (!filled.has(name)) return flaw
    const detail = flaw.message
    return { ...fault('template_unfit', `${prefix}template_id`, { field, platform, detail }) }
  }
  const [first, ...others] = faults
  return { ...rest, faults: [blamed(first), ...others.map(blamed)] }
}

/** The content with its snippets put in, in every text that may hold Liquid. */
export function inlineTexts(content: JsonObject, snippets: SnippetTexts, prefix: string): Result<JsonObject> {
  const faults: Fault[] = []
  const inlined = mapTexts(content, prefix, (path, text) => {
    const whole = inlineSnippets(path, text, snippets)
    if (whole.ok) return whole.value
    faults.push(...whole.rejection.faults)
    return text
  })
  const [first, ...others] = faults
  return first === undefined ? accept(inlined) : reject(first, ...others)
}

/** The names of the snippets that the texts of a content render. A text that cannot be read names none. */
export function snippetNamesIn(content: JsonObject): readonly string[] {
  const names = new Set<string>()
  mapTexts(content, '', (path, text) => {
    const tags = snippetTagsIn(path, text)
    if (tags.ok) for (const { name } of tags.value) names.add(name)
    return text
  })
  return [...names]
}

/** The same fields, with each text that may hold Liquid changed. */
function mapTexts(
  content: JsonObject,
  prefix: string,
  change: (path: string, text: string) => string,
): JsonObject {
  const entries = Object.entries(content).map(([name, value]) => {
    const path = `${prefix}${name}`
    if (name === 'languages' && isJsonObject(value)) return [name, mapLanguages(value, path, change)] as const
    const isText = typeof value === 'string' && LIQUID_FIELDS.has(name)
    return [name, isText ? change(path, value) : value] as const
  })
  return Object.fromEntries(entries)
}

/** More languages than allowed are refused by the reader of the field. */
function mapLanguages(
  languages: JsonObject,
  prefix: string,
  change: (path: string, text: string) => string,
): JsonObject {
  const entries = Object.entries(languages)
  if (entries.length > LANGUAGE_LIMITS.languagesMax) return languages
  return Object.fromEntries(
    entries.map(([tag, content]) => [
      tag,
      isJsonObject(content) ? mapTexts(content, `${prefix}.${tag}.`, change) : content,
    ]),
  )
}

/** The template that a body names. A value that is none is left to the reader of the field, which refuses it. */
function useIn(body: JsonObject): readonly TemplateUse[] {
  const templateId = parseInt64(body['template_id'])
  if (templateId === null) return []
  const given = body['template_version'] ?? null
  if (given === null) return [{ templateId, version: null }]
  const version = parseInt64(given)
  const { min, max } = TEMPLATE_FIELDS.version.shape
  return version === null || version < min || version > max ? [] : [{ templateId, version: Number(version) }]
}

function keyOf({ templateId, version }: TemplateUse): string {
  return `${templateId}/${version ?? ''}`
}
