import type { CampaignContent } from '../../client/api/documents.ts'
import type { Template } from '../../client/api/templates.ts'
import type { Json } from '../../client/json.ts'
import { contentOf, languagesOf, writeContent, writeLanguages } from './content.ts'
import { ALL_PLATFORMS, type Draft, filledWith } from './draft.ts'
import { type Languages, pinned, type UsedTemplate } from './used-template.ts'

/** The part of a template, or of one of its versions, that can be edited. */
export type TemplateWords = Pick<Template, 'content' | 'platforms'>

type Content = CampaignContent & { readonly languages?: Languages }

/** The draft with the words, the links and the other fields of a template in place of its own. */
export function withWords(draft: Draft, { content: written, platforms }: TemplateWords): Draft {
  const whole: Content = Object(written)
  const { languages = {}, ...content } = whole
  return { ...refilled(draft, { content, languages }, null), platforms: platformsOf(platforms) }
}

/** The draft made with a template: nothing of its own words is left. */
export function withTemplate(draft: Draft, template: Template): Draft {
  return { ...refilled(draft, { content: {} }, pinned(template)), platforms: platformsOf(template.platforms) }
}

/** The draft with the newest version of its template; what the message says itself stays. */
export function withNewest(draft: Draft, template: Template): Draft {
  const languages = writeLanguages(draft)
  const own = { content: writeContent(draft), ...(languages === null ? {} : { languages }) }
  return refilled(draft, own, pinned(template))
}

/** The draft with the same words, which are now its own. */
export function withoutTemplate(draft: Draft): Draft {
  return refilled(draft, { content: contentOf(draft), languages: languagesOf(draft) ?? {} }, null)
}

type Own = { readonly content: CampaignContent; readonly languages?: Languages }

function refilled(draft: Draft, own: Own, template: UsedTemplate | null): Draft {
  const { texts, stored, ...links } = filledWith(template, own)
  return {
    ...draft,
    ...links,
    template,
    texts: { ...draft.texts, A: texts },
    stored: { ...draft.stored, ...stored },
  }
}

function platformsOf(platforms: readonly string[]): readonly string[] {
  return ALL_PLATFORMS.filter((name) => platforms.includes(name))
}

/** The content as a template stores it, with its languages inside. */
export function templateContentOf(draft: Draft): Readonly<Record<string, Json>> {
  const languages = languagesOf(draft)
  return Object({ ...contentOf(draft), ...(languages === null ? {} : { languages }) })
}
