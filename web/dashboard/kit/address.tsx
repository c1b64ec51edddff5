import { useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { withBrand } from './brand.ts'

type Words = Readonly<Record<string, string | undefined>>

/** The parameters of the page's path, such as `$userId`. */
export function usePathWord(name: string): string {
  const words: Words = useParams({ strict: false })
  return words[name] ?? ''
}

/** The search parameters of the address, and a way to change some of them. The address holds all state worth sharing. */
export function useSearchWords(): readonly [Words, (changes: Words) => void] {
  const words: Words = useSearch({ strict: false })
  const go = useGo()
  const change = (changes: Words): void =>
    go(addressOf(location.pathname, { ...words, ...changes }), 'replace')
  return [words, change]
}

export function addressOf(path: string, words: Words = {}): string {
  const given = Object.entries(words).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  )
  const text = new URLSearchParams(given).toString()
  return text === '' ? path : `${path}?${text}`
}

/** Goes to an address of the dashboard without loading the page anew. */
export function useGo(): (address: string, how?: 'push' | 'replace') => void {
  const navigate = useNavigate()
  return (address, how = 'push') => void navigate({ href: withBrand(address), replace: how === 'replace' })
}

/** Drawing a page can take a slow machine a third of a second, so the pressed link is drawn before. Hidden tabs draw nothing. */
function afterPaint(act: () => void): void {
  const stop = new AbortController()
  const once = (): void => {
    if (stop.signal.aborted) return
    stop.abort()
    act()
  }
  requestAnimationFrame(() => setTimeout(once))
  setTimeout(once, HIDDEN_MS)
}

const HIDDEN_MS = 100

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly to: string
  readonly children?: ReactNode
}

/** A link within the dashboard. Its page is loaded as soon as the pointer or the focus is on it. */
export function Link({ to, children, onClick, ...rest }: LinkProps) {
  const go = useGo()
  const router = useRouter()
  const preload = (): void => void router.preloadRoute({ to: to.split('?')[0] ?? to }).catch(() => undefined)
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    afterPaint(() => go(to))
  }
  return (
    <a href={withBrand(to)} onClick={follow} onMouseEnter={preload} onFocus={preload} {...rest}>
      {children}
    </a>
  )
}
