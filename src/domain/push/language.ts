import { LANGUAGE_LIMITS } from '../../rules/languages.ts'
import { comparableTag, prefixesOf } from '../values/language-tag.ts'

/** The languages that a recipient is known to prefer, the first one first; null where none is known. */
export type LanguageWishes = { readonly device: string | null; readonly person: string | null }

/** The languages of a message, and that of its brand. */
export type LanguageOffer = {
  /** The tags of the contents, as the caller wrote them. */
  readonly languages: readonly string[]
  /** The language of the brand; null when it is not set. Unless it is offered, the default content counts as written in it. */
  readonly brand: string | null
}

/** Whose language decided. Nobody's: no known language is offered, and the recipient gets the default content. */
export type LanguageSource = 'device' | 'person' | 'brand' | 'nobody'

/** The language of one recipient: one of the offered tags, or null for the default content. */
export type LanguageChoice = { readonly language: string | null; readonly source: LanguageSource }

/**
 * The language of each recipient: by the device, else by the person, else by the brand, else the default content. Each
 * is looked up with its prefixes (RFC 4647). A language is looked up once, however many recipients have it.
 */
export function languageChooser({
  languages,
  brand,
}: LanguageOffer): (wishes: LanguageWishes) => LanguageChoice {
  const offered = new Map<string, string | null>()
  for (const tag of languages) offered.set(comparableTag(tag), tag)
  if (brand !== null && matchOf(offered, brand) === null) offered.set(comparableTag(brand), null)
  const found = new Map<string, Match | null>()
  const look = (wanted: string | null): Match | null => {
    if (wanted === null) return null
    const known = found.get(wanted)
    if (known !== undefined) return known
    const match = matchOf(offered, wanted)
    found.set(wanted, match)
    return match
  }
  const last: LanguageChoice = choiceOf(look(brand), 'brand') ?? NOBODY
  return ({ device, person }) => choiceOf(look(device), 'device') ?? choiceOf(look(person), 'person') ?? last
}

type Match = { readonly language: string | null }

const NOBODY = { language: null, source: 'nobody' } as const

function choiceOf(match: Match | null, source: LanguageSource): LanguageChoice | null {
  return match === null ? null : { language: match.language, source }
}

function matchOf(offered: ReadonlyMap<string, string | null>, wanted: string): Match | null {
  if (wanted.length > LANGUAGE_LIMITS.tagCharsMax) return null
  const prefix = prefixesOf(comparableTag(wanted)).find((tag) => offered.has(tag))
  return prefix === undefined ? null : { language: offered.get(prefix) ?? null }
}
