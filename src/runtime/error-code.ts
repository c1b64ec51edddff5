import { once } from 'node:events'

/** The code of a system error (`ENOENT`), or null when the cause carries none. */
export function errorCode(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null
  return typeof cause.code === 'string' ? cause.code : null
}

/** Resolves when the signal aborts, or at once if it already has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Why Beckon cannot start, in one sentence for the person at the terminal: `main` prints it without a stack. */
export class StartError extends Error {}
