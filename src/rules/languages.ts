import { OPTIONAL, type PushFieldRow } from './push-field-row.ts'

/** A language tag as callers write it: `en`, `pt-BR`, or `pt_BR` as Android does. */
export const LANGUAGE_TAG_PATTERN = '^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,4}$'

/** Bounds of a message in several languages. */
export const LANGUAGE_LIMITS = {
  languagesMax: 50,
  /** A person's attribute that is longer is no language tag. */
  tagCharsMax: 64,
  /** All contents of a notification together, as JSON. */
  contentsBytesMax: 512 * 1024,
  /** The texts with Liquid of all languages together, because compiling one takes time. */
  templateCharsMax: 40_000,
  /** The work of rendering all templates of all languages once: no more than one template may take by itself. */
  workMax: 50_000,
} as const

/**
 * Languages with two codes. Old Android and Java write the first code for Hebrew, Indonesian and Yiddish, and phones are
 * not of one mind about Norwegian and Filipino.
 */
export const LANGUAGE_ALIASES: Readonly<Record<string, string>> = {
  iw: 'he',
  in: 'id',
  ji: 'yi',
  no: 'nb',
  tl: 'fil',
}

/** The script that a region writes Chinese in, where the tag names none: `zh-TW` is `zh-Hant-TW`. */
export const CHINESE_SCRIPTS: Readonly<Record<string, string>> = {
  tw: 'hant',
  hk: 'hant',
  mo: 'hant',
  cn: 'hans',
  sg: 'hans',
  my: 'hans',
}

/** Names the default content where a language is named. No language tag has so many letters in its first part. */
export const DEFAULT_LANGUAGE = 'default'

/** The fields of a push, by name, that a language may have of its own: all that is read, seen or opened. */
export const LANGUAGE_CONTENT: readonly string[] = [
  'title',
  'message',
  'url',
  'image_url',
  'hero_image_url',
  'button_one_title',
  'button_one_url',
  'button_two_title',
  'button_two_url',
]

/** The field of a push with its content in other languages. It is a part of `PUSH_FIELDS`. */
export const LANGUAGE_FIELDS = [
  {
    name: 'languages',
    shape: { type: 'object' },
    hasContents: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above.',
  },
] as const satisfies readonly PushFieldRow[]
