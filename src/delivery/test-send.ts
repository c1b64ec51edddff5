import { BLANK_CONTENT } from '../domain/push/message.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import { unreachable } from '../domain/unreachable.ts'
import { awaitVerdict } from '../providers/verdict-listener.ts'
import type { Platform } from '../rules/platforms.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/secrets/crypto.ts'
import { deliveryId, type ReceiptSigner } from '../runtime/secrets/receipt-token.ts'
import type { Db } from '../store/db.ts'
import { loadRecipient } from '../store/push/recipients.ts'
import type { Channels } from './channels.ts'

type TestDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly channels: Channels
  readonly receipts: ReceiptSigner
}

export type Test = {
  readonly brandId: number
  readonly platform: Platform
  readonly subscriptionId: string
  readonly title: string
  readonly body: string
}

type TestResult =
  | { readonly kind: 'no_subscription' }
  | { readonly kind: 'no_channel' }
  | { readonly kind: 'sent'; readonly verdict: Verdict }

/** Sends one message now, even on a paused channel, and returns the verdict. No device is retired, and the channel's state stays. */
export async function sendTest({ db, clock, channels, receipts }: TestDeps, test: Test): Promise<TestResult> {
  const { brandId, platform, title, body } = test
  const recipient = await loadRecipient(db, test)
  if (recipient === null) return { kind: 'no_subscription' }
  const sender = await channels.open({ brandId, platform })
  switch (sender.kind) {
    case 'no_credential':
      return { kind: 'no_channel' }
    case 'ready': {
      const delivery = { brandId, notificationId: newId(), subscriptionId: recipient.id }
      const own = deliveryId(delivery)
      const ids = { deliveryId: own, collapseId: own, receipt: receipts.sign(delivery, clock.now()) }
      const content = { ...BLANK_CONTENT, title, body, ttlSeconds: TTL_SECONDS, callerNotificationId: null }
      const send = sender.prepare(content)
      const verdict = await awaitVerdict((listener) => send(recipient, ids, listener))
      return { kind: 'sent', verdict }
    }
    default:
      return unreachable(sender)
  }
}

const TTL_SECONDS = 300
