import { WARNINGS, type WarningCode } from '../rules/warnings.ts'

/** Something in an accepted request that did nothing, named so that a typing mistake is seen. */
export type Warning = { readonly field: string; readonly code: WarningCode; readonly message: string }

export function warning(
  code: WarningCode,
  field: string,
  words: Readonly<Record<string, string>> = {},
): Warning {
  const sentence: string = WARNINGS[code]
  // A call may have a warning for each of many thousand names, whose sentence has no words to fill in.
  if (!sentence.includes('{')) return { field, code, message: sentence }
  const message = sentence.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word)
  return { field, code, message }
}
