import { setTimeout as wait } from 'node:timers/promises'
import { ERRORS } from '../../../src/rules/errors.ts'

const AGAIN_MS = 50

/**
 * Calls a Beckon in processes of its own. Its processes refuse a call while they are late, as on a machine that is
 * slow, and the caller is to send it again: so does this. The test's own timeout is the bound.
 */
export async function askBeckon(url: string, call: RequestInit = {}): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, call)
    if (reply.status !== ERRORS.overloaded.status || !isBusy(await reply.clone().text())) return reply
    await wait(AGAIN_MS)
  }
}

/** Whether the reply says that Beckon is busy, and not that it stops or has no database. */
export function isBusy(reply: string): boolean {
  return reply.includes(ERRORS.overloaded.message)
}
