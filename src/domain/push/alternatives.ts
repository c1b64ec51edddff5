import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_LANGUAGE } from '../../rules/languages.ts'
import { type LanguageWishes, languageChooser } from './language.ts'
import type { Content } from './message.ts'
import { isPersonal } from './personalise.ts'

/**
 * The contents of a notification beside its default one, each of them whole: in other languages and in other
 * variants. The key of a content is `contentKey` of its variant and its language.
 */
export type Alternatives = {
  /** The tags as the caller wrote them. */
  readonly languages: readonly string[]
  readonly variants: readonly Variant[]
  readonly contents: Readonly<Record<string, Content>>
}

export type Variant = { readonly name: string; readonly weight: number }

/** The part of stored alternatives that decides which content a recipient gets. */
export type ContentOffer = Pick<Alternatives, 'languages' | 'variants'> & {
  /** Whether any content, the default one included, is rendered for each person. */
  readonly isPersonal: boolean
}

/** The content that one recipient gets. */
export type ContentChoice = {
  readonly key: string
  /** The tag, or `DEFAULT_LANGUAGE`; null when the notification is written in one language only. */
  readonly language: string | null
  /** The place of the variant; null when the notification has none. */
  readonly variant: number | null
}

type KeyParts = { readonly variant: number | null; readonly language: string | null }

/** `1/fr` is the second variant in French, `/fr` the only variant in French. No language is that of the default content. */
export function contentKey({ variant, language }: KeyParts): string {
  return `${variant ?? ''}/${language === DEFAULT_LANGUAGE ? '' : (language ?? '')}`
}

/**
 * Chooses the content of each recipient of a notification of a brand with this language. Recipients of one content share
 * their choice.
 */
export function contentChooser(
  { languages }: ContentOffer,
  brandLanguage: string | null,
): (wishes: LanguageWishes, variant: number | null) => ContentChoice {
  const choiceOf = choiceTable()
  if (languages.length === 0) return (_, variant) => choiceOf(null, variant)
  const languageOf = languageChooser({ languages, brand: brandLanguage })
  return (wishes, variant) => choiceOf(languageOf(wishes).language ?? DEFAULT_LANGUAGE, variant)
}

/** Makes each choice once. */
function choiceTable(): (language: string | null, variant: number | null) => ContentChoice {
  const made = new Map<string | null, Map<number | null, ContentChoice>>()
  return (language, variant) => {
    const ofLanguage = made.get(language) ?? new Map<number | null, ContentChoice>()
    const known = ofLanguage.get(variant)
    if (known !== undefined) return known
    const choice = { key: contentKey({ variant, language }), language, variant }
    made.set(language, ofLanguage.set(variant, choice))
    return choice
  }
}

/** The content in a language, or null for the default one. Of several variants, the first one's is given. */
export function contentIn(
  { content, alternatives }: { readonly content: Content; readonly alternatives: Alternatives | null },
  language: string | null,
): Content {
  const variant = alternatives === null || alternatives.variants.length === 0 ? null : 0
  return alternatives?.contents[contentKey({ variant, language })] ?? content
}

/**
 * The content of a notification in each language, with the path of its fields in the caller's body: `languages.fr.` for
 * French. Of several variants, the first one's is given.
 */
export function contentsByPath(
  content: Content,
  alternatives: Alternatives | null,
): readonly (readonly [path: string, content: Content])[] {
  const { languages = [] } = alternatives ?? {}
  const whole = { content, alternatives }
  return [
    ['', contentIn(whole, null)],
    ...languages.map((language) => [`languages.${language}.`, contentIn(whole, language)] as const),
  ]
}

/** The content and the languages of one variant, as if there were no other. */
export function onlyVariant(
  { content, alternatives }: { readonly content: Content; readonly alternatives: Alternatives | null },
  variant: number,
): { readonly content: Content; readonly alternatives: Alternatives | null } {
  const own = alternatives?.contents[contentKey({ variant, language: null })] ?? content
  if (alternatives === null || alternatives.languages.length === 0)
    return { content: own, alternatives: null }
  const { languages, contents } = alternatives
  const each = languages.map((language) => [
    contentKey({ variant: null, language }),
    contents[contentKey({ variant, language })] ?? own,
  ])
  return { content: own, alternatives: { languages, variants: [], contents: Object.fromEntries(each) } }
}

/** The same alternatives with every content changed. */
export function mapContents(
  { contents, ...offer }: Alternatives,
  change: (content: Content) => Content,
): Alternatives {
  const changed = Object.entries(contents).map(([key, content]) => [key, change(content)] as const)
  return { ...offer, contents: Object.fromEntries(changed) }
}

/**
 * The stored form of alternatives. A content keeps only the fields in which it differs from the default one, because a
 * journey stores a notification for each person; the store puts both together again.
 */
export function storedAlternatives(
  content: Content,
  { contents, languages, variants }: Alternatives,
): object {
  const all = [content, ...Object.values(contents)]
  const offer: ContentOffer = { languages, variants, isPersonal: all.some(isPersonal) }
  const differing = Object.entries(contents).map(([key, own]) => [key, differenceOf(content, own)] as const)
  return { ...offer, contents: Object.fromEntries(differing) }
}

function differenceOf(from: Content, to: Content): Partial<Content> {
  const known = new Map<string, unknown>(Object.entries(from))
  const own = Object.entries(to).filter(([name, value]) => !isDeepStrictEqual(value, known.get(name)))
  return Object.fromEntries(own)
}
