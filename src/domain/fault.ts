import { ERRORS, type ErrorCode } from '../rules/errors.ts'

/** One thing that is wrong with a request: where, a stable code, and a sentence that says what to do. */
export type Fault = { readonly code: ErrorCode; readonly field: string | null; readonly message: string }

export function fault(
  code: ErrorCode,
  field: string | null = null,
  words: Readonly<Record<string, string | number | bigint>> = {},
): Fault {
  const filled: Readonly<Record<string, string | number | bigint>> = { field: field ?? 'The body', ...words }
  const message = ERRORS[code].message.replaceAll(/\{(\w+)\}/g, (_, word: string) =>
    String(filled[word] ?? word),
  )
  return { code, field, message }
}
