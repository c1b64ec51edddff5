import type { CampaignContent } from '../../client/api/documents.ts'
import { encodeJson } from '../../client/json.ts'
import { BASE, type Draft, languagesIn, NO_WORDS, type Words } from './draft.ts'
import { type Languages, NO_CONTENT } from './used-template.ts'

/** The whole content for everybody, in its base language. A field that is left empty is as in the template. */
export function contentOf({ stored, texts, url, imageUrl, template }: Draft): CampaignContent {
  const { url: _url, image_url: _image, ...rest } = stored.content ?? {}
  const below = template?.content ?? NO_CONTENT
  const { title, message } = texts.A[BASE] ?? NO_WORDS
  const [link, picture] = [url || below.url, imageUrl || below.image_url]
  return {
    ...rest,
    title: title || (below.title ?? ''),
    message: message || (below.message ?? ''),
    ...(link === undefined ? {} : { url: link }),
    ...(picture === undefined ? {} : { image_url: picture }),
  }
}

export function languagesOf(draft: Draft): Languages | null {
  const tags = languagesIn(draft)
  if (tags.length === 0) return null
  return Object.fromEntries(
    tags.map((tag) => {
      const { title: _title, message: _message, ...rest } = draft.stored.languages?.[tag] ?? {}
      return [tag, { ...rest, ...given(draft.texts.A[tag]) }]
    }),
  )
}

/** The content as a call writes it: with a template, only the fields that say something else. */
export function writeContent(draft: Draft): CampaignContent {
  const { template } = draft
  const whole = contentOf(draft)
  if (template === null) return whole
  const below: Readonly<Record<string, unknown>> = template.content
  const own = Object.entries(whole).filter(([name, value]) => !isSame(value, below[name]))
  return {
    template_id: template.id,
    ...(template.isPinned ? { template_version: template.version } : {}),
    ...Object.fromEntries(own),
  }
}

/** Null leaves the languages to the template; an empty object is none of them. */
export function writeLanguages(draft: Draft): Languages | null {
  const languages = languagesOf(draft)
  const below = draft.template?.languages ?? {}
  if (isSame(languages ?? {}, below)) return null
  return languages ?? {}
}

/** A field without words is taken from the content above. */
export function given({ title, message }: Words = NO_WORDS): CampaignContent {
  return { ...(title === '' ? {} : { title }), ...(message === '' ? {} : { message }) }
}

function isSame(one: unknown, other: unknown): boolean {
  return encodeJson(one ?? null) === encodeJson(other ?? null)
}
