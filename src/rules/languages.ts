/** Bounds of a message in several languages. */
export const LANGUAGE_LIMITS = {
  /** A person's attribute that is longer is no language tag. */
  tagCharsMax: 64,
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
