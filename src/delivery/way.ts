import type { Verdict } from '../domain/push/verdict.ts'
import type { MessageContent } from '../providers/channel.ts'
import type { Recipient } from '../store/push/recipients.ts'

/** How the messages of one brand reach one platform right now. */
export type Way =
  | OpenWay
  /** The channel is paused, and nothing may be handed over before that is over. */
  | { readonly kind: 'held' }
  /** There is no credential, and no sandbox to stand in for one. */
  | { readonly kind: 'none' }

export type OpenWay = {
  readonly kind: 'open'
  /** Names the credential: what providers hold against it, they hold against all that is sent with it. */
  readonly credential: string
  readonly version: number
  /** It was paused, and this is the try that shows whether it was mended. */
  readonly isPaused: boolean
  /** Push services that turned it away, as far as that was written down. */
  readonly refusedHosts: ReadonlySet<string>
  /** The host that a recipient's message goes to, for a provider that asks to be left in peace. */
  readonly hostOf: (recipient: Recipient) => string
  /** A refusal of the credential is held against the host that spoke it, since there are others. */
  readonly isOfManyHosts: boolean
  /** Renders once what is then sent to many. */
  readonly prepare: (content: MessageContent) => Send
}

/** Hands one message over. It rejects only when our own machinery fails. */
export type Send = (recipient: Recipient, delivery: DeliveryIds) => Promise<Verdict>

/** What is each delivery's own. */
export type DeliveryIds = {
  readonly deliveryId: string
  readonly collapseId: string
  readonly receipt: string
}
