import type { TemplateOrigin } from '../../domain/push/notification.ts'
import { accept, type Result } from '../../domain/result.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { TRIAL_LIMITS } from '../../rules/trials.ts'
import type { Db } from '../../store/db.ts'
import {
  blameTemplate,
  type ContentSource,
  inlineTexts,
  loadContentSource,
  type ResolvedFields,
  type RunInBrand,
  resolveFields,
} from '../templates/resolve.ts'
import { type DocumentQuery, type ParsedCampaign, parseCampaignDocument } from './body.ts'

export type RunWork = Parameters<RunInBrand>[0]

type InBrand = { readonly brandId: number; readonly run: RunInBrand }

/** Reads a document with the content of the templates and snippets that it names at this moment. */
export async function readCampaignDocument(
  document: JsonObject,
  query: DocumentQuery,
  { brandId, run }: InBrand,
): Promise<Result<ParsedCampaign>> {
  const source = await loadContentSource(run, brandId, partsOf(document))
  const resolved = resolveDocument(source, document)
  if (!resolved.ok) return resolved
  const { document: whole, content } = resolved.value
  const parsed = parseCampaignDocument(whole, query)
  if (!parsed.ok) {
    const blamed = { ...content, prefix: 'content.' }
    return { ok: false, rejection: blameTemplate(blamed, parsed.rejection, 'every platform of the campaign') }
  }
  const { campaign, warnings } = parsed.value
  return accept({ campaign: { ...campaign, template: content.template }, warnings })
}

type StoredQuery = Pick<DocumentQuery, 'renderPayload' | 'now'> & { readonly brandId: number }

/** Reads the stored document of a campaign, in an open transaction. */
export async function readStoredDocument(
  tx: Db,
  document: JsonObject,
  { brandId, renderPayload, now }: StoredQuery,
): Promise<Result<ParsedCampaign>> {
  const query = { renderPayload, now, isAudienceNew: false, isTrialNew: false }
  return readCampaignDocument(document, query, { brandId, run: async (work) => work(tx) })
}

type ResolvedDocument = {
  readonly document: JsonObject
  readonly content: Pick<ResolvedFields, 'filled'> & { readonly template: TemplateOrigin | null }
}

function resolveDocument(source: ContentSource, document: JsonObject): Result<ResolvedDocument> {
  const whole = resolveHolder(source, document, '')
  if (!whole.ok) return whole
  const variants: unknown[] = []
  for (const [at, variant] of variantsIn(document).entries()) {
    const own = isJsonObject(variant) ? resolveHolder(source, variant, `variants[${at}].`) : null
    if (own !== null && !own.ok) return own
    variants.push(own === null ? variant : own.value.holder)
  }
  const { holder, content } = whole.value
  return accept({ content, document: variants.length === 0 ? holder : { ...holder, variants } })
}

/** A document or a variant: its content, what platforms and languages have of their own. */
function resolveHolder(source: ContentSource, holder: JsonObject, prefix: string) {
  const given = holder['content']
  const resolved = resolveFields(source, isJsonObject(given) ? given : {}, `${prefix}content.`)
  if (!resolved.ok) return resolved
  const { filled, template } = resolved.value
  const { languages, ...fields } = resolved.value.fields
  const { template_id: _, template_version: __, ...written } = fields
  // A field that cannot name a template stays, so that its reader refuses it.
  const content = template === null ? resolved.value.fields : written
  const own = holder['languages'] ?? (filled.has('languages') ? languages : undefined)
  const parts: Record<string, unknown> = own === undefined ? {} : { languages: own }
  for (const platform of PLATFORM_NAMES) {
    const part = holder[platform]
    if (!isJsonObject(part)) continue
    const inlined = inlineTexts(part, source.snippets, `${prefix}${platform}.`)
    if (!inlined.ok) return inlined
    parts[platform] = inlined.value
  }
  const inlined = inlineTexts(parts, source.snippets, prefix)
  if (!inlined.ok) return inlined
  const whole = isJsonObject(given)
    ? { ...holder, ...inlined.value, content }
    : { ...holder, ...inlined.value }
  return accept({ holder: whole, content: resolved.value })
}

/** The parts of a document that may name templates and snippets. */
function partsOf(document: JsonObject): readonly unknown[] {
  return [document, ...variantsIn(document)]
    .filter(isJsonObject)
    .flatMap((holder) => [
      holder['content'],
      { languages: holder['languages'] },
      ...PLATFORM_NAMES.map((platform) => holder[platform]),
    ])
}

/** More variants than allowed are refused by the reader of the field. */
function variantsIn({ variants }: JsonObject): readonly unknown[] {
  return Array.isArray(variants) && variants.length <= TRIAL_LIMITS.variantsMax ? variants : []
}
