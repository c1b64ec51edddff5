import { within } from '../shared/database.ts'
import type { PageFacts } from './context.ts'
import { NOBODYS_SESSION, type Sign, type Touched, touch } from './session.ts'

const PLACE = 'session'

/** What the page shows of itself now. */
export function pageFacts(): PageFacts {
  return {
    url: location.href,
    referrer: document.referrer,
    language: navigator.language,
    isMobile: matchMedia('(pointer: coarse) and (max-width: 820px)').matches,
  }
}

/** A sign of life. Read and written in one transaction, so that two tabs begin one session and not two. */
export async function touchSession(sign: Sign): Promise<Touched> {
  let touched = touch(null, sign)
  await within('facts', (store) => {
    const found = store.get(PLACE)
    found.onsuccess = () => {
      touched = touch(found.result, sign)
      store.put(touched.session, PLACE)
    }
    return undefined
  })
  return touched
}

export async function forgetSession(): Promise<void> {
  await within('facts', (store) => store.put(NOBODYS_SESSION, PLACE))
}
