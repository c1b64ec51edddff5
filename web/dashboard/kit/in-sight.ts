import { useEffect } from 'react'

/**
 * Brings the part of the page that the address names into sight as soon as its rows came. Before that, the page may be too
 * short to scroll there.
 */
export function useInSight(id: string, isThere: boolean): void {
  useEffect(() => {
    if (isThere && location.hash === `#${id}`) document.getElementById(id)?.scrollIntoView()
  }, [id, isThere])
}
