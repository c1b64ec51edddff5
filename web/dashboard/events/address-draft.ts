import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { encodeJson } from '../../client/json.ts'
import { TYPING_MS } from '../kit/typing.ts'

type AddressDraft<Draft> = {
  /** What the address is told of a draft; null while it keeps what it has. */
  readonly tellable: (draft: Draft) => Draft | null
  readonly tell: (draft: Draft) => void
}

/**
 * The draft of something that the address has, once its author has finished it. What the address is given by somebody else,
 * such as the browser's Back, takes the place of the draft.
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
