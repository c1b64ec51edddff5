import { contentIn } from '../../domain/push/alternatives.ts'
import { languageChooser } from '../../domain/push/language.ts'
import type { Content, Message } from '../../domain/push/message.ts'
import type { Draft } from '../../domain/push/notification.ts'
import type { Warning } from '../../domain/warning.ts'
import { DEFAULT_LANGUAGE } from '../../rules/languages.ts'
import { loadBrandLanguage } from '../../store/brand/brands.ts'
import type { AudienceQuery } from '../../store/push/audience-sql.ts'
import { countLanguages } from '../../store/push/language-counts.ts'
import type { SampleRecipient } from '../../store/push/recipients.ts'
import type { Deps } from '../deps.ts'

/** A payload, or null where nothing would be sent, with the reason; and the message in no provider's form. */
export type Sample = {
  readonly payload: unknown
  readonly message: Message | null
  readonly flaws: readonly Warning[]
}

type LanguageQuestion = {
  readonly query: AudienceQuery
  /** The subscriptions themselves, for one subscriber; null for an audience. */
  readonly ids: readonly bigint[] | null
  readonly draft: Pick<Draft, 'content' | 'alternatives'>
  readonly recipient: SampleRecipient | null
}

/** The content that the first recipient gets, and the languages of all. */
type LanguageSamples = {
  readonly content: Content
  /** The tag, or `DEFAULT_LANGUAGE`; null when the message is written in one language only. */
  readonly language: string | null
  /** Empty when there is one content for all. */
  readonly fields: { readonly languages?: readonly object[] }
  readonly flaws: readonly Warning[]
}

/**
 * How many devices get which language, and the payload of each as the first recipient would see it. Rendering one text may
 * take long for a person with much data, so after a while the rest is not rendered.
 */
export async function sampleLanguages(
  { database }: Deps,
  question: LanguageQuestion,
  render: (content: Content) => Sample,
): Promise<LanguageSamples> {
  const { query, ids, draft, recipient } = question
  const { content, alternatives } = draft
  if (alternatives === null || alternatives.languages.length === 0)
    return { content, language: null, fields: {}, flaws: [] }
  const { languages } = alternatives
  const brand = await loadBrandLanguage(database, query.brandId)
  const choose = languageChooser({ languages, brand })
  const counts = new Map<string, number>()
  for (const { device, person, devices } of await countLanguages(database, query, ids)) {
    const language = choose({ device, person }).language ?? DEFAULT_LANGUAGE
    counts.set(language, (counts.get(language) ?? 0) + devices)
  }
  const flaws: Warning[] = []
  const endAt = performance.now() + RENDER_MS_MAX
  const shown = [...languages, DEFAULT_LANGUAGE].map((language) => {
    const own = contentIn(draft, language)
    const { payload, flaws: found } = performance.now() > endAt ? UNRENDERED : render(own)
    flaws.push(...found.map((flaw) => ({ ...flaw, field: pathOf(language, flaw.field) })))
    return { language, devices: counts.get(language) ?? 0, payload }
  })
  const { language: own } = choose({
    device: recipient?.language ?? null,
    person: recipient?.personLanguage ?? null,
  })
  return {
    content: contentIn(draft, own),
    language: own ?? DEFAULT_LANGUAGE,
    fields: { languages: shown },
    flaws,
  }
}

const RENDER_MS_MAX = 1_000
const UNRENDERED: Sample = { payload: null, message: null, flaws: [] }

function pathOf(language: string, field: string): string {
  return language === DEFAULT_LANGUAGE ? field : `languages.${language}.${field}`
}
