import { useEffect, useState } from 'react'
import { useReturn } from './reach.ts'

/** Whether the server has another dashboard than the one on the page. Asked after an outage, and after a long absence. */
export function useIsUpdated(): boolean {
  const [isUpdated, setUpdated] = useState(false)
  const ask = (): void => void hasOther().then((has) => setUpdated(has))
  useReturn(ask)
  useEffect(() => {
    let hiddenAt = Date.now()
    const look = (): void => {
      if (document.visibilityState === 'hidden') hiddenAt = Date.now()
      else if (Date.now() - hiddenAt > ABSENCE_MS) ask()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isUpdated
}

const ABSENCE_MS = 10 * 60_000

/** The document names the script, and the script's name changes with every part of the dashboard. */
async function hasOther(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[nonce]')?.src
  if (own === undefined) return false
  try {
    const reply = await fetch('/', { cache: 'no-store' })
    return reply.ok && !(await reply.text()).includes(new URL(own).pathname)
  } catch {
    // The next return asks again.
    return false
  }
}
