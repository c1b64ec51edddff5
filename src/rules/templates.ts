import type { FieldRow } from './fields.ts'
import { LANGUAGE_LIMITS } from './languages.ts'
import { PLATFORM_NAMES } from './platforms.ts'
import { PUSH_LIMITS } from './push.ts'

/**
 * The tags and filters of Liquid that a notification may use. Tags and filters that read files or the clock, make
 * random values, change their input or compile text are left out. A template that uses one that is not listed here is
 * refused when it arrives.
 */
export const TEMPLATE_TAGS = [
  '#',
  'assign',
  'break',
  'capture',
  'case',
  'comment',
  'continue',
  'cycle',
  'echo',
  'for',
  'if',
  'raw',
  'unless',
] as const

export const TEMPLATE_FILTERS = [
  'abs',
  'append',
  'array_to_sentence_string',
  'at_least',
  'at_most',
  'capitalize',
  'ceil',
  'cgi_escape',
  'compact',
  'concat',
  'date',
  'default',
  'divided_by',
  'downcase',
  'escape',
  'first',
  'floor',
  'join',
  'json',
  'last',
  'lstrip',
  'map',
  'minus',
  'modulo',
  'normalize_whitespace',
  'plus',
  'prepend',
  'remove',
  'remove_first',
  'remove_last',
  'replace',
  'replace_first',
  'replace_last',
  'reverse',
  'round',
  'rstrip',
  'size',
  'slice',
  'slugify',
  'sort',
  'sort_natural',
  'split',
  'squish',
  'strip',
  'strip_html',
  'strip_newlines',
  'sum',
  'times',
  'to_integer',
  'truncate',
  'truncatewords',
  'uniq',
  'upcase',
  'uri_escape',
  'url_decode',
  'url_encode',
  'where',
] as const

export const TEMPLATE_LIMITS = {
  /** Code points of the template itself, before it is rendered. */
  charsMax: 4_000,
  /** Work of one rendering: every step of a loop, every character written and every item built costs one. */
  workMax: 50_000,
  /** A second bound, for work that `workMax` does not count. A good template takes well under a millisecond. */
  renderMsMax: 500,
} as const

/** Bounds of saved templates. */
export const SAVED_TEMPLATE_LIMITS = {
  nameCharsMax: 200,
  /** Templates of a brand that are not archived. */
  templatesMax: 1_000,
  versionsMax: 1_000,
} as const

/** The tag that renders a snippet. It is replaced by the snippet's text before a template is compiled. */
export const SNIPPET_TAG = 'render'

export const SNIPPET_LIMITS = {
  nameCharsMax: 64,
  snippetsMax: 1_000,
  /** How many snippets may render each other in a row. */
  depthMax: 5,
} as const

/** The names that a snippet may have. */
export const SNIPPET_NAME = /^[a-z0-9][a-z0-9_-]*$/

/** The bodies that make and change a template and a snippet. */
export const TEMPLATE_FIELDS = {
  name: {
    name: 'name',
    shape: { type: 'text', charsMax: SAVED_TEMPLATE_LIMITS.nameCharsMax },
    description: 'The name of the template, for people.',
  },
  content: {
    name: 'content',
    shape: { type: 'object' },
    description: 'The content fields of a push: title, message, url and so on. Texts may hold Liquid.',
  },
  platforms: {
    name: 'platforms',
    shape: { type: 'list', itemsMax: 3, charsMax: 10 },
    description: 'The platforms that the content must fit; all of them when absent.',
  },
  version: {
    name: 'version',
    shape: { type: 'integer', min: 1n, max: 2_147_483_647n },
    description: 'The version that you read. The change is refused if there is a newer one.',
  },
} as const satisfies Record<string, FieldRow>

export const SNIPPET_FIELDS = {
  name: {
    name: 'name',
    shape: { type: 'text', charsMax: SNIPPET_LIMITS.nameCharsMax },
    description: 'The name of the snippet: small letters, digits, - and _.',
  },
  text: {
    name: 'text',
    shape: { type: 'text', charsMax: TEMPLATE_LIMITS.charsMax },
    description: 'The text. It may hold Liquid, and render other snippets.',
  },
  version: TEMPLATE_FIELDS.version,
} as const satisfies Record<string, FieldRow>

/** The body of a preview. */
export const PREVIEW_FIELDS = {
  platform: {
    name: 'platform',
    shape: { type: 'choice', oneOf: PLATFORM_NAMES },
    description: 'The platform to render for.',
  },
  version: {
    name: 'version',
    shape: TEMPLATE_FIELDS.version.shape,
    description: 'The version to render; the newest when absent.',
  },
  language: {
    name: 'language',
    shape: { type: 'text', charsMax: LANGUAGE_LIMITS.tagCharsMax },
    description: 'The language to render, one of those of the content; that of the person when absent.',
  },
  userId: {
    name: 'user_id',
    shape: { type: 'text', charsMax: PUSH_LIMITS.identifierCharsMax },
    description: 'The person whom it is rendered for; somebody with a device of the platform when absent.',
  },
} as const satisfies Record<string, FieldRow>
