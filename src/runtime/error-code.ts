/** The code of a system error (`ENOENT`), or null when the cause carries none. */
export function errorCode(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null
  return typeof cause.code === 'string' ? cause.code : null
}
