import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { StoredSnippet } from '../../store/templates/snippets.ts'
import type { StoredTemplate, TemplateVersion } from '../../store/templates/templates.ts'
import { SHOWN } from '../push/shown.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'

export function renderTemplate(template: StoredTemplate): object {
  return {
    template_id: template.id,
    name: template.name,
    version: template.version,
    content: template.content,
    platforms: template.platforms,
    snippets: template.snippets,
    created_at: instantOf(template.createdAt),
    updated_at: instantOf(template.updatedAt),
    archived_at: instantOrNull(template.archivedAt),
  }
}

export function renderTemplateVersion(found: TemplateVersion): object {
  const { version, name, content, platforms, snippets, createdAt } = found
  return { version, name, content, platforms, snippets, created_at: instantOf(createdAt) }
}

export function renderSnippet(snippet: StoredSnippet): object {
  return {
    name: snippet.name,
    version: snippet.version,
    text: snippet.text,
    renders: snippet.renders,
    created_at: instantOf(snippet.createdAt),
    updated_at: instantOf(snippet.updatedAt),
  }
}

const CONTENT = {
  name: Type.String(),
  version: Type.Integer({ description: 'Grows by one with each change.' }),
  content: Type.Object({}, { additionalProperties: true, description: 'The content fields, as written.' }),
  platforms: Type.Array(Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))), {
    description: 'The platforms that the content was checked for.',
  }),
  snippets: Type.Array(Type.String(), { description: 'The snippets that the content renders.' }),
}

export const TEMPLATE_VIEW = Type.Object({
  template_id: Type.Integer({ format: 'int64' }),
  ...CONTENT,
  created_at: INSTANT,
  updated_at: INSTANT,
  archived_at: INSTANT_OR_NULL,
})

export const TEMPLATE_VERSION_VIEW = Type.Object({ ...CONTENT, created_at: INSTANT })

export const SNIPPET_VIEW = Type.Object({
  name: Type.String(),
  version: Type.Integer({ description: 'Grows by one with each change.' }),
  text: Type.String(),
  renders: Type.Array(Type.String(), { description: 'The snippets that its text renders itself.' }),
  created_at: INSTANT,
  updated_at: INSTANT,
})

export const TEMPLATE_PREVIEW_VIEW = Type.Object({
  template_id: Type.Integer({ format: 'int64' }),
  version: Type.Integer(),
  platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
  subscription_id: Type.String({ description: 'The device that it was rendered for.' }),
  language: Type.Union([Type.String(), Type.Null()], {
    description: 'The language that the person gets; null if the template has one language only.',
  }),
  title: TEXT_OR_NULL,
  message: TEXT_OR_NULL,
  url: TEXT_OR_NULL,
  buttons: Type.Array(Type.Object({ title: Type.String(), url: TEXT_OR_NULL })),
  texts_cut: Type.Integer({ description: 'Texts that are too long for this person and are cut.' }),
  payload: Type.Unknown({
    description: 'The message in the form of its push service; null if none is sent.',
  }),
})

const PLATFORM_PREVIEW = Type.Object({
  payload: Type.Unknown({
    description: 'The message in the form of its push service; null if none is sent.',
  }),
  shown: SHOWN,
  language: Type.Union([Type.String(), Type.Null()], {
    description: 'The language that is shown; null if the content has one language only.',
  }),
})

export const CONTENT_PREVIEW_VIEW = Type.Object({
  platforms: Type.Object({
    android: Type.Optional(PLATFORM_PREVIEW),
    ios: Type.Optional(PLATFORM_PREVIEW),
    web: Type.Optional(PLATFORM_PREVIEW),
  }),
})
