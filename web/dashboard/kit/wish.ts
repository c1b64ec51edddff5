import { useRef } from 'react'
import { BeckonError } from '../../client/failure.ts'
import { encodeJson } from '../../client/json.ts'

/**
 * Runs a write with an idempotency key. The same input after a lost answer is the same wish with the same key, so a
 * second click on Send after an outage sends nothing twice.
 */
export function useWish<Reply>(): (
  input: object,
  run: (idempotencyKey: string) => Promise<Reply>,
) => Promise<Reply> {
  const open = useRef({ text: '', key: '' })
  return async (input, run) => {
    const text = encodeJson(input)
    if (open.current.text !== text) open.current = { text, key: crypto.randomUUID() }
    try {
      const reply = await run(open.current.key)
      open.current = { text: '', key: '' }
      return reply
    } catch (error) {
      if (error instanceof BeckonError) open.current = { text: '', key: '' }
      throw error
    }
  }
}
