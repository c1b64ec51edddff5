import { fault } from '../../domain/fault.ts'
import { contentIn } from '../../domain/push/alternatives.ts'
import { languageChooser } from '../../domain/push/language.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { DEFAULT_LANGUAGE } from '../../rules/languages.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { loadBrandLanguage } from '../../store/brand/brands.ts'
import type { SampleRecipient } from '../../store/push/recipients.ts'
import { loadSnippetTexts } from '../../store/templates/snippets.ts'
import type { Deps } from '../deps.ts'
import { loadSampleOf, renderSample, templateWarnings } from '../push/dry-run.ts'
import { renderShown } from '../push/shown.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseTemplateBody, TEMPLATE_RULES, type TemplateBody } from './body.ts'
import { CONTENT_PREFIX, checkContent, messageOn } from './content.ts'
import { inlineTexts, snippetNamesIn } from './resolve.ts'

/** POST /api/v1/templates/preview: a content that is not saved, as a person would get it on each platform. */
export async function previewContent(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseTemplateBody(TEMPLATE_RULES.previewContent, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { brandId } = request.caller
  const { platforms: wanted, warnings } = parsed.value
  const content = await inlinedContent(deps, brandId, parsed.value)
  if (!content.ok) return refuse(content.rejection)
  const platforms: Record<string, object> = {}
  const notes: Warning[] = [...warnings]
  for (const platform of wanted ?? PLATFORM_NAMES) {
    const question = { brandId, platform, content: content.value, ...whoOf(parsed.value) }
    const sampled = await samplePlatform(deps, question)
    if (!sampled.ok) return refuse(sampled.rejection)
    platforms[platform] = sampled.value.fields
    notes.push(...sampled.value.flaws)
  }
  return replySuccess({ platforms }, { processed: 0, warnings: once(notes) })
}

/** The content with its snippets put in, if a template could have it. */
async function inlinedContent(
  { database, renderPayload, clock }: Deps,
  brandId: number,
  { content, platforms }: TemplateBody,
): Promise<Result<JsonObject>> {
  if (content === null) throw new Error('a preview was accepted without a content')
  const names = snippetNamesIn(content)
  const snippets = await database.asBrand(brandId, async (tx) => loadSnippetTexts(tx, brandId, names))
  const check = { platforms: platforms ?? PLATFORM_NAMES, snippets, renderPayload, now: clock.now() }
  const checked = checkContent(content, check)
  return checked.ok ? inlineTexts(checked.value, snippets, CONTENT_PREFIX) : checked
}

type Viewer = { readonly userId: string | null; readonly language: string | null }

function whoOf({ userId, language }: TemplateBody): Viewer {
  return { userId, language }
}

type PlatformQuestion = Viewer & {
  readonly brandId: number
  readonly platform: Platform
  readonly content: JsonObject
}

type PlatformPreview = { readonly fields: object; readonly flaws: readonly Warning[] }

async function samplePlatform(deps: Deps, question: PlatformQuestion): Promise<Result<PlatformPreview>> {
  const { brandId, platform, userId } = question
  const message = messageOn(platform, question.content)
  const everybody = { brandId, platform, tag: null, filter: null, reachesVirtual: true } as const
  const recipient = await loadSampleOf(deps, everybody, userId)
  if (recipient === null && userId !== null) return reject(fault('profile_not_found', 'user_id'))
  const { languages } = message.alternatives ?? { languages: [] }
  const language = await languageOf(deps, { ...question, languages }, recipient)
  const draft = { platform, content: contentIn(message, language), callerNotificationId: null }
  const { payload, message: shown, flaws } = renderSample(deps, { draft, now: deps.clock.now() }, recipient)
  const names = await templateWarnings(deps, brandId, message)
  return accept({ fields: { payload, shown: renderShown(shown), language }, flaws: [...flaws, ...names] })
}

type Offer = Pick<PlatformQuestion, 'brandId' | 'language'> & { readonly languages: readonly string[] }

/** The language that was asked for, else that of the person; null when the content has one language only. */
async function languageOf(
  { database }: Deps,
  { brandId, language, languages }: Offer,
  recipient: SampleRecipient | null,
): Promise<string | null> {
  if (languages.length === 0) return null
  if (language !== null) return languages.includes(language) ? language : DEFAULT_LANGUAGE
  const choose = languageChooser({ languages, brand: await loadBrandLanguage(database, brandId) })
  const wishes = { device: recipient?.language ?? null, person: recipient?.personLanguage ?? null }
  return choose(wishes).language ?? DEFAULT_LANGUAGE
}

/** The platforms share their fields, so each warning is given once. */
function once(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((one) => [`${one.code} ${one.field} ${one.message}`, one])).values()]
}
