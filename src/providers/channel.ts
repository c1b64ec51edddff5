import type { Message } from '../domain/push/message.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import type { Clock } from '../runtime/clock.ts'
import type { TokenCache } from './token-cache.ts'
import type { Transport } from './transport.ts'

/** Sends one brand's messages to one provider. */
export type Channel<Address> = {
  /** Renders the part that all recipients share; `send` then adds the part of each recipient. */
  readonly prepare: (content: MessageContent) => PreparedMessage<Address>
}

export type PreparedMessage<Address> = {
  /** Hands the message over. There is a verdict, whatever the provider answers or fails to answer. */
  readonly post: (recipient: Addressee<Address>, listener: VerdictListener) => void
  /** The same for a caller that waits for the verdict. */
  readonly send: (recipient: Addressee<Address>) => Promise<Verdict>
}

/** Hears the verdict on one message. One of the two functions is called, once, and as a method, because a message in flight is its own listener. */
export type VerdictListener = {
  onVerdict(verdict: Verdict): void
  /** Our own machinery failed, and the message was not sent. */
  onError(cause: unknown): void
}

/** A message without the ids of its recipient. */
export type MessageContent = Omit<Message, 'deliveryId' | 'collapseId'>

export type Addressee<Address> = {
  readonly address: Address
  readonly deliveryId: string
  readonly collapseId: string
  /** The signed token with which the device reports what became of the message. */
  readonly receipt: string
}

/** The dependencies that all channels of a process share. */
export type ChannelDeps = {
  readonly transport: Transport
  readonly tokens: TokenCache
  readonly clock: Clock
}
