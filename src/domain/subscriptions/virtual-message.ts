import type { ReceiptKind } from '../../rules/push.ts'
import { VIRTUAL_LIMITS, type VirtualMessageState } from '../../rules/virtual-devices.ts'

/** A message as a device shows it, read from what its push service accepted. */
export type ArrivedMessage = {
  readonly arrivedAt: number
  /** A later message with the same id replaces this one on the device. */
  readonly collapseId: string | null
  readonly receipt: string | null
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly imageUrl: string | null
  readonly heroImageUrl: string | null
  readonly buttons: readonly { readonly title: string; readonly url: string | null }[]
  /** Whether the app gets it and nothing is shown. */
  readonly isSilent: boolean
}

/** An arrived message with the id of its notification. */
export type NamedMessage = ArrivedMessage & { readonly notificationId: string }

/** The receipts of one message, each with its time. */
export type MessageReceipts = {
  readonly state: VirtualMessageState
  readonly shownAt: number | null
  readonly clickedAt: number | null
  readonly dismissedAt: number | null
  /** The button that was tapped, 1 or 2. */
  readonly button: number | null
}

/** The messages that a device shows, newest first: a replaced one is gone, and one that came twice is there once. */
export function shownMessages(arrived: readonly NamedMessage[]): readonly NamedMessage[] {
  const shown = new Map<string, NamedMessage>()
  for (const message of arrived.toReversed()) {
    const name = message.collapseId ?? message.notificationId
    if (!shown.has(name)) shown.set(name, message)
  }
  const once = new Map([...shown.values()].toReversed().map((message) => [message.notificationId, message]))
  return [...once.values()].toReversed().slice(0, VIRTUAL_LIMITS.messagesMax)
}

type StoredReceipt = { readonly kind: ReceiptKind; readonly button: number | null; readonly at: number }

/** A message that was tapped stays clicked, also when it is dismissed afterwards. */
export function messageReceipts(receipts: readonly StoredReceipt[]): MessageReceipts {
  const timeOf = (kind: ReceiptKind): number | null => receipts.find((one) => one.kind === kind)?.at ?? null
  const shownAt = timeOf('received')
  const clickedAt = timeOf('clicked')
  const dismissedAt = timeOf('dismissed')
  const button = receipts.find(({ kind }) => kind === 'button')?.button ?? null
  return { state: stateOf({ shownAt, clickedAt, dismissedAt }), shownAt, clickedAt, dismissedAt, button }
}

function stateOf({
  shownAt,
  clickedAt,
  dismissedAt,
}: Pick<MessageReceipts, 'shownAt' | 'clickedAt' | 'dismissedAt'>): VirtualMessageState {
  if (clickedAt !== null) return 'clicked'
  if (dismissedAt !== null) return 'dismissed'
  return shownAt === null ? 'arrived' : 'shown'
}
