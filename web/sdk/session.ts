import type { Arrival } from './context.ts'

/** A visit, as local storage keeps it for all tabs. */
export type Session = {
  readonly id: string
  readonly startedAt: number
  readonly lastAt: number
  readonly arrival: Arrival
}

/** The session that goes on, or that the one before is over. Thirty quiet minutes end it. */
export function isOver(session: Session | null, now: number): boolean {
  return session === null || now - session.lastAt > QUIET_MS || now < session.startedAt - QUIET_MS
}

/** What local storage held, if it is a session at all. */
export function readSession(text: string | null): Session | null {
  if (text === null) return null
  // Anything may have written there.
  try {
    const given: unknown = JSON.parse(text)
    return isSession(given) ? given : null
  } catch {
    return null
  }
}

const QUIET_MS = 30 * 60_000

function isSession(given: unknown): given is Session {
  if (typeof given !== 'object' || given === null) return false
  return 'id' in given && 'startedAt' in given && 'lastAt' in given && 'arrival' in given
}
