import { EXPLANATIONS, type ExplanationCode } from '../../rules/explanations.ts'

/** One reason, for programs and for people. */
export type Explanation = { readonly code: ExplanationCode; readonly message: string }

export function explanation(
  code: ExplanationCode,
  words: Readonly<Record<string, string | number | bigint>> = {},
): Explanation {
  const message = EXPLANATIONS[code].replaceAll(/\{(\w+)\}/g, (_, word: string) =>
    String(words[word] ?? word),
  )
  return { code, message }
}
