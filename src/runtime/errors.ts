/** The code of a system error (`ENOENT`), or null when the cause carries none. */
export function errorCode(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null
  return typeof cause.code === 'string' ? cause.code : null
}

/** Why Beckon cannot start, in one sentence for the person at the terminal: `main` prints it without a stack. */
export class StartError extends Error {}

/** The message of an error. Node leaves it empty when several addresses refuse the connection; then the code says more. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message === '' ? (errorCode(cause) ?? cause.name) : cause.message
}
