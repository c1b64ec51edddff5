import { EXPLANATIONS, type ExplanationCode } from '../../rules/explanations.ts'

/** One reason, for programs and for people. `values` are the words that the sentence is filled with. */
export type Explanation = {
  readonly code: ExplanationCode
  readonly message: string
  readonly values: Readonly<Record<string, string>>
}

export function explanation(
  code: ExplanationCode,
  words: Readonly<Record<string, string | number | bigint>> = {},
): Explanation {
  const values = Object.fromEntries(Object.entries(words).map(([word, value]) => [word, String(value)]))
  const message = EXPLANATIONS[code].replaceAll(/\{(\w+)\}/g, (_, word: string) => values[word] ?? word)
  return { code, message, values }
}
