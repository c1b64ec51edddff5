import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { encodeJson } from '../../client/json.ts'
import { TYPING_MS } from '../kit/typing.ts'

type AddressDraft<Draft> = {
  /** The part of a draft that the address gets; null while the address keeps what it has. */
  readonly tellable: (draft: Draft) => Draft | null
  readonly tell: (draft: Draft) => void
}

/**
 * The draft of something that is in the address as soon as it is finished. If the address changes otherwise, for example by the
 * browser's Back, the draft becomes what the address has.
 */
export function useAddressDraft<Draft>(
  asked: Draft,
  { tellable, tell }: AddressDraft<Draft>,
): readonly [Draft, (next: Draft) => void] {
  const [draft, setDraft] = useState(asked)
  const word = encodeJson(asked)
  // An address comes back a moment after it was told, when the next may have been told already.
  const told = useRef(new Set([word]))
  const later = useDebouncedCallback((next: Draft) => {
    told.current.add(encodeJson(next))
    tell(next)
  }, TYPING_MS)
  useEffect(() => {
    if (told.current.has(word)) return
    told.current.add(word)
    later.cancel()
    setDraft(asked)
    // Only another address is of interest, and `word` says whether it is another.
  }, [word])
  const change = (next: Draft): void => {
    setDraft(next)
    const wanted = tellable(next)
    if (wanted === null) later.cancel()
    else later(wanted)
  }
  return [draft, change]
}
