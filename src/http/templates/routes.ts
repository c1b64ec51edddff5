import { DEMO_USER } from '../../rules/brand.ts'
import { bodySchema } from '../fields/schema.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { SNIPPET_RULES, TEMPLATE_RULES } from './body.ts'
import { previewTemplate } from './preview.ts'
import { previewContent } from './preview-content.ts'
import {
  changeOneSnippet,
  createOneSnippet,
  deleteOneSnippet,
  listAllSnippets,
  readSnippet,
  SNIPPET_QUERY,
} from './snippets.ts'
import {
  archiveOneTemplate,
  changeOneTemplate,
  createOneTemplate,
  duplicateTemplate,
  listAllTemplates,
  listVersionsOfTemplate,
  readOneTemplate,
  readTemplateVersion,
  TEMPLATE_QUERY,
  TEMPLATE_VERSION_QUERY,
} from './templates.ts'
import {
  CONTENT_PREVIEW_VIEW,
  SNIPPET_VIEW,
  TEMPLATE_PREVIEW_VIEW,
  TEMPLATE_VERSION_VIEW,
  TEMPLATE_VIEW,
} from './view.ts'

const FACTS = { group: 'Templates', scopes: ['push'] } as const
const PATH = '/api/v1/templates'
const ONE_PATH = `${PATH}/{template_id}`
const ONE = Type.Object({ template: TEMPLATE_VIEW })
const CONTENT = {
  title: 'Hello {{ user.first_name | default: "there" }}',
  message: 'The autumn teas are here.',
}
const CONTENT_REFUSALS = [
  'template_invalid',
  'template_too_costly',
  'template_unfit',
  'payload_too_large',
] as const

const TEMPLATE_ROUTES_ONLY: readonly Route[] = [
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: PATH,
    summary: 'Create a template',
    description: 'A template is a saved content of a push. Pushes and journeys use it with template_id.',
    body: 'json',
    bodySchema: bodySchema(TEMPLATE_RULES.create),
    reply: ONE,
    example: { name: 'Autumn teas', content: CONTENT },
    refusals: [...CONTENT_REFUSALS, 'template_limit'],
    isIdempotent: true,
    handler: createOneTemplate,
  },
  {
    ...FACTS,
    method: 'GET',
    path: PATH,
    summary: 'List templates',
    body: 'none',
    querySchema: TEMPLATE_QUERY,
    reply: Type.Object({ templates: Type.Array(TEMPLATE_VIEW), ...NEXT_CURSOR }),
    handler: listAllTemplates,
  },
  {
    ...FACTS,
    method: 'GET',
    path: ONE_PATH,
    summary: 'Read a template',
    body: 'none',
    reply: ONE,
    refusals: ['template_not_found'],
    handler: readOneTemplate,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'PATCH',
    path: ONE_PATH,
    summary: 'Change a template',
    description:
      'Makes a new version. Only the given fields change; a given content replaces the whole content. The body names the version that you read, so that two editors do not overwrite each other.',
    body: 'json',
    bodySchema: bodySchema(TEMPLATE_RULES.change),
    reply: ONE,
    example: { version: 1, name: 'Autumn teas, first week' },
    refusals: [...CONTENT_REFUSALS, 'template_not_found', 'version_stale', 'template_limit'],
    handler: changeOneTemplate,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${ONE_PATH}/versions`,
    summary: 'List the versions of a template',
    body: 'none',
    querySchema: TEMPLATE_VERSION_QUERY,
    reply: Type.Object({ versions: Type.Array(TEMPLATE_VERSION_VIEW), ...NEXT_CURSOR }),
    refusals: ['template_not_found'],
    handler: listVersionsOfTemplate,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${ONE_PATH}/versions/{version}`,
    summary: 'Read a version of a template',
    body: 'none',
    reply: Type.Object({ version: TEMPLATE_VERSION_VIEW }),
    refusals: ['template_not_found'],
    handler: readTemplateVersion,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${ONE_PATH}/duplicate`,
    summary: 'Duplicate a template',
    description: 'The copy has the newest content of the template, which may be archived.',
    body: 'json',
    bodySchema: bodySchema(TEMPLATE_RULES.duplicate),
    reply: ONE,
    example: { name: 'Winter teas' },
    refusals: ['template_not_found', 'template_limit'],
    isIdempotent: true,
    handler: duplicateTemplate,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${ONE_PATH}/preview`,
    isRead: true,
    summary: 'Preview a template for a person',
    description: 'Renders it as a push to this person would be rendered at this moment. Nothing is sent.',
    body: 'json',
    bodySchema: bodySchema(TEMPLATE_RULES.preview),
    reply: Type.Object({ preview: TEMPLATE_PREVIEW_VIEW }),
    example: { platform: 'android', user_id: DEMO_USER },
    refusals: [
      'template_not_found',
      'template_unfit',
      'identifier_missing',
      'identifiers_disagree',
      'subscriber_not_found',
      'no_live_subscription',
    ],
    handler: previewTemplate,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${PATH}/preview`,
    isRead: true,
    summary: 'Preview a content that is not saved',
    description:
      'Checks a content as a new template would be checked, and renders it for a person on each platform. Nothing is stored or sent.',
    body: 'json',
    bodySchema: bodySchema(TEMPLATE_RULES.previewContent),
    reply: CONTENT_PREVIEW_VIEW,
    example: { content: CONTENT, user_id: DEMO_USER },
    refusals: [...CONTENT_REFUSALS, 'profile_not_found'],
    handler: previewContent,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${ONE_PATH}/archive`,
    summary: 'Archive a template',
    description: 'New pushes and journeys cannot use it. Pushes that were accepted before are still sent.',
    body: 'none',
    reply: ONE,
    refusals: ['template_not_found'],
    handler: archiveOneTemplate,
  },
]

const SNIPPET_PATH = '/api/v1/snippets'
const ONE_SNIPPET = Type.Object({ snippet: SNIPPET_VIEW })

const SNIPPET_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: SNIPPET_PATH,
    summary: 'Create a snippet',
    description:
      'A snippet is a text that templates, pushes and other snippets share: {% render "name" %} puts it in.',
    body: 'json',
    bodySchema: bodySchema(SNIPPET_RULES.create),
    reply: ONE_SNIPPET,
    example: { name: 'greeting', text: 'Hello {{ user.first_name | default: "there" }}' },
    refusals: ['template_invalid', 'template_too_costly', 'snippet_exists', 'template_limit'],
    isIdempotent: true,
    handler: createOneSnippet,
  },
  {
    ...FACTS,
    method: 'GET',
    path: SNIPPET_PATH,
    summary: 'List snippets',
    body: 'none',
    querySchema: SNIPPET_QUERY,
    reply: Type.Object({ snippets: Type.Array(SNIPPET_VIEW), ...NEXT_CURSOR }),
    handler: listAllSnippets,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${SNIPPET_PATH}/{name}`,
    summary: 'Read a snippet',
    body: 'none',
    reply: ONE_SNIPPET,
    refusals: ['snippet_not_found'],
    handler: readSnippet,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'PATCH',
    path: `${SNIPPET_PATH}/{name}`,
    summary: 'Change a snippet',
    description:
      'Pushes that are accepted from now on have the new text. The body names the version that you read.',
    body: 'json',
    bodySchema: bodySchema(SNIPPET_RULES.change),
    reply: ONE_SNIPPET,
    example: { version: 1, text: 'Hi {{ user.first_name | default: "there" }}' },
    refusals: ['template_invalid', 'template_too_costly', 'snippet_not_found', 'version_stale'],
    handler: changeOneSnippet,
  },
  {
    ...FACTS,
    method: 'DELETE',
    path: `${SNIPPET_PATH}/{name}`,
    summary: 'Delete a snippet',
    description: 'Refused while a snippet, or the newest version of a template, renders it.',
    body: 'none',
    reply: Type.Object({}),
    refusals: ['snippet_not_found', 'snippet_in_use'],
    handler: deleteOneSnippet,
  },
]

export const TEMPLATE_ROUTES: readonly Route[] = [...TEMPLATE_ROUTES_ONLY, ...SNIPPET_ROUTES]
