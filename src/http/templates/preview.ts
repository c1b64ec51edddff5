import { contentChooser } from '../../domain/push/alternatives.ts'
import type { Content } from '../../domain/push/message.ts'
import type { Draft } from '../../domain/push/notification.ts'
import { personaliser } from '../../domain/push/personalise.ts'
import { scopeOf } from '../../domain/push/sample.ts'
import { type Push, planPushes } from '../../intake/push/plan.ts'
import { loadBrand } from '../../store/brand/brands.ts'
import type { Recipient } from '../../store/push/recipient.ts'
import type { Deps } from '../deps.ts'
import { loadSample, renderSample, templateWarnings } from '../push/dry-run.ts'
import { resolvePush } from '../push/push.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseTemplateBody, TEMPLATE_RULES } from './body.ts'
import { templateRef, unknownTemplate } from './templates.ts'

/** POST /api/v1/templates/{template_id}/preview: as a push with the template would be, and nothing is sent. */
export async function previewTemplate(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseTemplateBody(TEMPLATE_RULES.preview, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { platform, version, identifiers, warnings } = parsed.value
  if (platform === null) throw new Error('a preview was accepted without a platform')
  const ref = templateRef(request)
  if (ref === null) return refuse(unknownTemplate(request))

  const { caller } = request
  const body = { ...identifiers, template_id: ref.templateId, template_version: version }
  const resolved = await resolvePush(deps, { caller, body }, { platform, mode: 'send' })
  if (!resolved.ok) return refuse(resolved.rejection)
  const [planned] = await deps.database.asBrand(caller.brandId, async (tx) =>
    planPushes(deps.database, tx, caller.brandId, [resolved.value]),
  )
  if (planned === undefined) throw new Error('a preview was planned without an outcome')
  if (!planned.ok) return refuse(planned.rejection)
  const { push, plan } = planned.value
  const recipient = await loadSample(deps, push, plan)
  if (recipient === null) throw new Error('a device vanished while its preview was made')
  const brand = await deps.database.asBrand(caller.brandId, async (tx) =>
    loadBrand(tx, caller.brandExternalId),
  )
  const { content, language } = contentFor(push.draft, recipient, brand?.language ?? null)
  const chosen = { ...push, draft: { ...push.draft, content } }
  const { payload, flaws } = renderSample(deps, chosen, recipient)
  const names = await templateWarnings(deps, push.brandId, { content, alternatives: null })
  const preview = { ...renderTexts(chosen, recipient), language, payload }
  return replySuccess(
    { preview },
    { processed: 0, warnings: [...warnings, ...resolved.value.warnings, ...flaws, ...names] },
  )
}

type ChosenContent = { readonly content: Content; readonly language: string | null }

/** The content in the language that the person would get. */
function contentFor(
  { content, alternatives }: Draft,
  { language, user }: Recipient,
  brandLanguage: string | null,
): ChosenContent {
  if (alternatives === null) return { content, language: null }
  const person = user?.['language']
  const wishes = { device: language, person: typeof person === 'string' ? person : null }
  const choice = contentChooser({ ...alternatives, isPersonal: true }, brandLanguage)(wishes, null)
  return { content: alternatives.contents[choice.key] ?? content, language: choice.language }
}

function renderTexts({ draft, now }: Push, recipient: Recipient): object {
  const { platform, content, template } = draft
  const personal = personaliser(content, platform).personalFor(scopeOf(recipient, platform, now))
  return {
    template_id: template?.templateId,
    version: template?.version,
    platform,
    subscription_id: recipient.subscriptionId,
    title: personal?.content.title ?? null,
    message: personal?.content.body ?? null,
    url: personal?.content.url ?? null,
    buttons: personal?.content.buttons ?? [],
    texts_cut: personal?.cuts ?? 0,
  }
}
