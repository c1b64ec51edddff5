import { arrivalOf, type PageFacts } from './context.ts'
import { isOver, readSession, type Session } from './session.ts'

const PLACE = 'beckon.session'

/** What the page shows of itself now. */
export function pageFacts(): PageFacts {
  return {
    url: location.href,
    referrer: document.referrer,
    language: navigator.language,
    isMobile: matchMedia('(pointer: coarse) and (max-width: 820px)').matches,
  }
}

/** A sign of life: the session of now, and the one that it followed if it is new. */
export function touchSession(
  page: PageFacts,
  now: number,
): { readonly session: Session; readonly ended: Session | null | undefined } {
  const last = readSession(localStorage.getItem(PLACE))
  const isNew = last === null || isOver(last, now)
  const session = isNew
    ? { id: crypto.randomUUID(), startedAt: now, lastAt: now, arrival: arrivalOf(page) }
    : { ...last, lastAt: now }
  localStorage.setItem(PLACE, JSON.stringify(session))
  return { session, ended: isNew ? last : undefined }
}

export function forgetSession(): void {
  localStorage.removeItem(PLACE)
}
