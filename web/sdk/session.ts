import { isObject } from '../shared/post.ts'
import { type Arrival, arrivalOf, type PageFacts } from './context.ts'

/** A visit, as all tabs share it. */
export type Session = {
  readonly id: string
  readonly startedAt: number
  readonly lastAt: number
  readonly arrival: Arrival
}

/** What a sign of life leads to. `ended`: the session that the new one follows; null if there never was one. */
export type Touched = { readonly session: Session; readonly ended?: Session | null }

export type Sign = { readonly page: PageFacts; readonly now: number; readonly newId: string }

/** The session goes on, or after thirty quiet minutes a new one begins. */
export function touch(given: unknown, { page, now, newId }: Sign): Touched {
  const last = isSession(given) ? given : null
  if (last !== null && last.id !== NOBODY && !isOver(last, now)) {
    return { session: { ...last, lastAt: Math.max(last.lastAt, now) } }
  }
  return { session: { id: newId, startedAt: now, lastAt: now, arrival: arrivalOf(page) }, ended: last }
}

/** What stands in place of a session that was somebody else's: whoever comes next is not new, but begins anew. */
export const NOBODYS_SESSION: Session = {
  id: '',
  startedAt: 0,
  lastAt: 0,
  arrival: { landing: '', referrer: '', utm: {} },
}

const NOBODY = NOBODYS_SESSION.id
const QUIET_MS = 30 * 60_000

/** A clock that was set back by more than that starts anew as well. */
function isOver({ startedAt, lastAt }: Session, now: number): boolean {
  return now - lastAt > QUIET_MS || now < startedAt - QUIET_MS
}

function isSession(given: unknown): given is Session {
  return isObject(given) && isObject(given['arrival'])
}
