import { useLanguage } from '../texts.tsx'
import { whereSentenceOf } from './sentence.ts'
import type { Written } from './written.ts'

/** Conditions on the attributes of an event, in words. */
export function WhereSentence({ where }: { readonly where: readonly Written[] }) {
  return whereSentenceOf(where, useLanguage().language)
}
