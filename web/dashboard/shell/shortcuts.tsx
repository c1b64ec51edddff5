import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'
import { useGo } from '../kit/address.tsx'

/** `g` and then a letter leads to a page. */
export const LETTERS: Readonly<Record<string, string>> = {
  h: '/',
  c: '/compose',
  m: '/messages',
  l: '/templates',
  p: '/people',
  s: '/segments',
  j: '/journeys',
  e: '/events',
  d: '/devices',
  t: '/settings',
}

const LETTER_MS = 1_500

/** The keys that work on every page. They are off while somebody types in a field. */
export function useShortcuts(): void {
  const go = useGo()
  const wantedAt = useRef(0)
  const isWanted = (): boolean => performance.now() - wantedAt.current < LETTER_MS
  const follow = (letter: string): void => {
    const address = LETTERS[letter]
    if (address !== undefined && isWanted()) {
      wantedAt.current = 0
      go(address)
      return
    }
    if (letter === 'c') go('/compose')
  }
  useHotkeys([
    ['g', () => (wantedAt.current = performance.now())],
    ...Object.keys(LETTERS).map((letter): [string, () => void] => [letter, () => follow(letter)]),
  ])
  // The finder opens from a field too.
  useHotkeys([['mod+K', openFinder]], [])
}

/** Opens the finder, which is loaded with its first use. */
export function openFinder(): void {
  dispatchEvent(new Event('beckon-find'))
}
