import { PLATFORMS, type Platform } from '../../rules/platforms.ts'
import { type Fault, fault } from '../fault.ts'
import { cutAtWord } from '../values/text.ts'
import type { Message } from './message.ts'

/** The size of a provider's rendering of a message. `providers/` implements it. */
export type MeasurePayload = (message: Message) => number

/** A provider's rendering of a message. `providers/` implements it. */
export type RenderPayload = (platform: Platform, message: Message) => Rendered

/** `show` builds the payload only when a dry run wants it. */
type Rendered = { readonly bytes: number; readonly show: () => unknown }

/** The fault of a payload that the platform would not carry; null when it fits (decisions §3). */
export function payloadFault(platform: Platform, bytes: number): Fault | null {
  const max = PLATFORMS[platform].payloadBytesMax
  return bytes > max ? fault('payload_too_large', 'message', { platform, actual: bytes, max }) : null
}

/**
 * Shortens the body until the payload fits. A personalised message can grow past the limit long after its caller
 * has gone; a shorter text is better than none. Null when even an empty body leaves it too large.
 */
export function fitPayload(message: Message, platform: Platform, measure: MeasurePayload): Message | null {
  const max = PLATFORMS[platform].payloadBytesMax
  if (measure(message) <= max) return message
  if (measure({ ...message, body: '' }) > max) return null
  let fitting = 0
  let tooLong = message.body.length
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2)
    if (measure({ ...message, body: cutAtWord(message.body, middle) }) <= max) fitting = middle
    else tooLong = middle
  }
  return { ...message, body: cutAtWord(message.body, fitting) }
}
