import { createContext, type ReactNode, use, useState } from 'react'

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

/** The same shape with any string in the place of each string: the type of a translation. */
type Widened<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string
    ? string
    : Texts[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Widened<Texts[Name]>
}

export type Translated<Texts> = { readonly en: Texts; readonly de: Widened<Texts> }

/** The texts of a page in every language. A language that lacks a text does not compile. */
export function defineTexts<const Texts>(texts: Translated<Texts>): Translated<Texts> {
  return texts
}

type LanguageChoice = { readonly language: Language; readonly choose: (language: Language) => void }

const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => undefined })

const PLACE = 'beckon.language'

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage)
  const choose = (chosen: Language): void => {
    localStorage.setItem(PLACE, chosen)
    document.documentElement.lang = chosen
    setLanguage(chosen)
  }
  return <LanguageContext value={{ language, choose }}>{children}</LanguageContext>
}

function initialLanguage(): Language {
  const wanted = localStorage.getItem(PLACE) ?? navigator.language.slice(0, 2)
  const language = wanted === 'de' ? 'de' : 'en'
  document.documentElement.lang = language
  return language
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext)
}

/** The texts of a page in the reader's language. */
export function useTexts<Texts>(texts: Translated<Texts>): Widened<Texts> {
  return use(LanguageContext).language === 'de' ? texts.de : widen(texts.en)
}

function widen<Texts>(texts: Texts): Widened<Texts> {
  return Object(texts)
}
