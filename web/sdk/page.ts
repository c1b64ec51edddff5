import { within } from '../shared/database.ts'
import type { PageFacts } from './context.ts'
import { type Activity, NO_SESSION, type Touched, touch } from './session.ts'

const KEY = 'session'

/** The present facts of the page. */
export function pageFacts(): PageFacts {
  return {
    url: location.href,
    referrer: document.referrer,
    language: navigator.language,
    isMobile: matchMedia('(pointer: coarse) and (max-width: 820px)').matches,
  }
}

/** Continues or begins the session in one transaction, so that two tabs do not begin two sessions. */
export async function touchSession(activity: Activity): Promise<Touched> {
  let touched = touch(null, activity)
  await within('facts', (store) => {
    const found = store.get(KEY)
    found.onsuccess = () => {
      touched = touch(found.result, activity)
      store.put(touched.session, KEY)
    }
    return undefined
  })
  return touched
}

export async function forgetSession(): Promise<void> {
  await within('facts', (store) => store.put(NO_SESSION, KEY))
}
