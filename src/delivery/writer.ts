import { type Content, saysNothing, ttlLeft } from '../domain/push/message.ts'
import { fitPayload, type MeasurePayload } from '../domain/push/payload.ts'
import { personaliser } from '../domain/push/personalise.ts'
import { scopeOf } from '../domain/push/sample.ts'
import type { ClaimedChunk } from '../store/push/chunks.ts'
import type { OpenChunk } from '../store/push/open-chunks.ts'
import type { Recipient } from '../store/push/recipient.ts'
import type { DeliveryIds, ReadySender, Send } from './channel-sender.ts'

/** The message of one recipient: ready to be sent, or the reason why there is none. */
export type Written =
  | { readonly kind: 'ready'; readonly send: Send; readonly cuts: number }
  | { readonly kind: 'unwritable'; readonly reason: string }

type Writing = {
  readonly claimed: Pick<ClaimedChunk, 'expiresAt'>
  readonly chunk: OpenChunk
  readonly sender: ReadySender
  readonly measure: MeasurePayload
}

/**
 * Writes the message of each recipient. The recipients of one content share a writer, which is made for the first of
 * them.
 */
export function writerOf(writing: Writing): (to: To) => Written {
  const { content, contents, choices } = writing.chunk
  const writers = new Map<Content, (to: To) => Written>()
  return (to) => {
    const choice = choices.size === 0 ? undefined : choices.get(to.recipient.id)
    const own = (choice === undefined ? undefined : contents.get(choice.key)) ?? content
    const known = writers.get(own)
    if (known !== undefined) return known(to)
    const write = contentWriter(writing, own)
    writers.set(own, write)
    return write(to)
  }
}

/**
 * Writes one content to its recipients. A message without personal fields is rendered once for all, and again when the
 * part of its ttl that is left is a second less.
 */
function contentWriter({ claimed, chunk, sender, measure }: Writing, content: Content): (to: To) => Written {
  const { platform, callerNotificationId, event } = chunk
  const text = personaliser(content, platform)
  const ttlAt = (now: number): number => ttlLeft(content.ttlSeconds, claimed.expiresAt - now)
  if (!text.isPersonal) {
    let known: { readonly ttlSeconds: number; readonly ready: Written } | null = null
    return ({ now }) => {
      const ttlSeconds = ttlAt(now)
      if (known?.ttlSeconds === ttlSeconds) return known.ready
      const send = sender.prepare({ ...content, ttlSeconds, callerNotificationId })
      known = { ttlSeconds, ready: { kind: 'ready', send, cuts: 0 } }
      return known.ready
    }
  }
  return ({ recipient, ids, now }) => {
    const personal = text.personalFor({ ...scopeOf(recipient, platform, now), event: event ?? {} })
    if (personal === null) return { kind: 'unwritable', reason: 'template_too_costly' }
    if (saysNothing(personal.content)) return { kind: 'unwritable', reason: 'text_empty' }
    const { deliveryId, collapseId } = ids
    const message = { ...personal.content, callerNotificationId, deliveryId, collapseId }
    const fitting = fitPayload(message, platform, measure)
    if (fitting === null) return { kind: 'unwritable', reason: 'payload_too_large' }
    const { body } = fitting
    const isShortened = body !== personal.content.body
    const ttlSeconds = ttlAt(now)
    const send = sender.prepare({ ...personal.content, ttlSeconds, callerNotificationId, body })
    return { kind: 'ready', send, cuts: personal.cuts + (isShortened ? 1 : 0) }
  }
}

export type To = { readonly recipient: Recipient; readonly ids: DeliveryIds; readonly now: number }
