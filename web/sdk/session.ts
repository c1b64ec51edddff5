import { isObject } from '../shared/post.ts'
import { type Arrival, arrivalOf, type PageFacts } from './context.ts'

/** A visit; all tabs of a browser share it. */
export type Session = {
  readonly id: string
  readonly startedAt: number
  readonly lastAt: number
  readonly arrival: Arrival
}

/** The session after an activity. `ended`: the session before a new one; null if there was none. */
export type Touched = { readonly session: Session; readonly ended?: Session | null }

export type Activity = { readonly page: PageFacts; readonly now: number; readonly newId: string }

/** Continues the session; after 30 minutes without activity it begins a new one. */
export function touch(given: unknown, { page, now, newId }: Activity): Touched {
  const last = isSession(given) ? given : null
  if (last !== null && last.id !== NO_SESSION.id && !isOver(last, now)) {
    return { session: { ...last, lastAt: Math.max(last.lastAt, now) } }
  }
  return { session: { id: newId, startedAt: now, lastAt: now, arrival: arrivalOf(page) }, ended: last }
}

/** Stored after a logout: the next activity begins a new session, and is not a first visit. */
export const NO_SESSION: Session = {
  id: '',
  startedAt: 0,
  lastAt: 0,
  arrival: { landing: '', referrer: '', utm: {} },
}

const QUIET_MS = 30 * 60_000

/** A clock that was set back by more than 30 minutes begins a new session too. */
function isOver({ startedAt, lastAt }: Session, now: number): boolean {
  return now - lastAt > QUIET_MS || now < startedAt - QUIET_MS
}

function isSession(given: unknown): given is Session {
  return isObject(given) && isObject(given['arrival'])
}
