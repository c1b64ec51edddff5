import { WARNINGS, type WarningCode } from '../rules/warnings.ts'

/** Something in an accepted request that did nothing, named so that a typing mistake is seen. */
export type Warning = { readonly field: string; readonly code: WarningCode; readonly message: string }

export function warning(
  code: WarningCode,
  field: string,
  words: Readonly<Record<string, string>> = {},
): Warning {
  const message = WARNINGS[code].replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word)
  return { field, code, message }
}
