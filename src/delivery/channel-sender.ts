import type { ChannelState } from '../domain/push/health.ts'
import type { MessageContent, VerdictListener } from '../providers/channel.ts'
import type { Recipient } from '../store/push/recipient.ts'

/** The sender of one brand's messages to one platform, in the state that its channel has now. */
export type ChannelSender =
  | ReadySender
  /** The channel is paused: nothing may be handed over until its next probe is due. */
  | { readonly kind: 'paused' }
  /** The brand has no credential, and no sandbox stands in for one. */
  | { readonly kind: 'no_credential' }

/** A sender with a credential that may be used now. */
export type ReadySender = CredentialSender & {
  readonly kind: 'ready'
  /** The version of the brand's credential; 0 for the sandbox's. */
  readonly version: number
  /** After a pause the first answers of a probing channel tell whether it works again. */
  readonly state: Exclude<ChannelState, 'paused'>
  /** Whether a failure of the channel was saved, so that the next accepted message clears it. */
  readonly isFailing: boolean
  /** The push hosts that turned the channel away, as far as that was saved. */
  readonly refusedHosts: ReadonlySet<string>
}

/** A sender as its credential alone makes it, before the state of the channel is known. */
export type CredentialSender = {
  /** Names the credential. A provider counts a complaint against everything that is sent with it. */
  readonly credential: string
  /** The push host that takes a recipient's message, as an origin. */
  readonly hostOf: (recipient: Recipient) => string
  /** The push host of all or nearly all recipients; null if there is none. */
  readonly mainHost: string | null
  /** Whether recipients have different push hosts. Then a refusal counts against one host, not against the credential. */
  readonly hasManyHosts: boolean
  /** Renders a message once, so that it can be sent to many recipients. */
  readonly prepare: (content: MessageContent) => Send
}

/** Hands one message over. It may throw in place of telling the listener of an error. */
export type Send = (recipient: Recipient, delivery: DeliveryIds, listener: VerdictListener) => void

/** The ids and the receipt token of one delivery. */
export type DeliveryIds = {
  readonly deliveryId: string
  readonly collapseId: string
  readonly receipt: string
}
