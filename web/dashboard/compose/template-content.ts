import type { CampaignContent } from '../../client/api/documents.ts'
import type { Template } from '../../client/api/templates.ts'
import type { Json } from '../../client/json.ts'
import { contentOf, languagesOf } from './document.ts'
import { ALL_PLATFORMS, BASE, type Draft, textsOf, wordsOf } from './draft.ts'

/** The part of a template, or of one of its versions, that a message begins with. */
export type TemplateWords = Pick<Template, 'content' | 'platforms'>

type Content = CampaignContent & { readonly languages?: Readonly<Record<string, CampaignContent>> }

/** The draft with the words, the links and the other fields of a template in place of its own. */
export function withTemplate(draft: Draft, { content: written, platforms }: TemplateWords): Draft {
  const whole: Content = Object(written)
  const { languages = {}, ...content } = whole
  const chosen: readonly string[] = platforms
  return {
    ...draft,
    platforms: ALL_PLATFORMS.filter((name) => chosen.includes(name)),
    texts: { A: { [BASE]: wordsOf(content), ...textsOf(languages) }, B: {} },
    url: content.url ?? '',
    imageUrl: content.image_url ?? '',
    stored: { content, languages },
  }
}

/** The content as a template stores it, with its languages inside. */
export function templateContentOf(draft: Draft): Readonly<Record<string, Json>> {
  const languages = languagesOf(draft)
  return Object({ ...contentOf(draft), ...(languages === null ? {} : { languages }) })
}
