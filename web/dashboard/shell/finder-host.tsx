import { useWindowEvent } from '@mantine/hooks'
import { Suspense, useState } from 'react'
import { lazyPiece } from '../kit/piece.tsx'

const Finder = lazyPiece(async () => (await import('./finder.tsx')).Finder)
const KeyList = lazyPiece(async () => (await import('./key-list.tsx')).KeyList)

/** The finder and the list of keys, which are loaded with their first use. */
export function FinderHost() {
  const [finds, setFinds] = useState(0)
  const [isListed, setListed] = useState(false)
  useWindowEvent('beckon-find', () => setFinds((count) => count + 1))
  useWindowEvent('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    if (event.key === '?' && !isTyping) setListed(true)
  })
  return (
    <Suspense fallback={null}>
      {finds > 0 && <Finder wanted={finds} onKeys={() => setListed(true)} />}
      {isListed && <KeyList onClose={() => setListed(false)} />}
    </Suspense>
  )
}
