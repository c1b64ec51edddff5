import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** The pause after which a reader has probably stopped typing, and a question is worth asking. */
export const TYPING_MS = 250

type Typed = {
  readonly value: string
  readonly onChange: (text: string) => void
}

/** The props of a field whose text is told a moment after the last key, so that each letter is not an address of its own. */
export function useTyped({ value, onChange }: Typed) {
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed.trim(), TYPING_MS)
  useEffect(() => {
    if (settled !== value) onChange(settled)
    // Only the reader's typing changes the address; `value` follows it.
  }, [settled])
  return {
    value: typed,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
      setTyped(currentTarget.value),
  }
}
