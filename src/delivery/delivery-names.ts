import { deliveryIds } from '../runtime/secrets/receipt-token.ts'
import type { Recipient } from '../store/push/recipient.ts'
import type { DeliveryIds } from './channel-sender.ts'
import type { ChunkJob, SendDeps } from './chunk-job.ts'

/**
 * The ids and receipt tokens of a chunk's deliveries. All are made at the first send, because the day of a token is that
 * of the sending, and because many that are made together cost a tenth.
 */
export class DeliveryNames {
  readonly #deps: Pick<SendDeps, 'clock' | 'receipts'>
  readonly #job: Pick<ChunkJob, 'claimed' | 'chunk' | 'pace'>
  #ids: ReadonlyMap<Recipient, DeliveryIds> | null = null

  constructor(deps: Pick<SendDeps, 'clock' | 'receipts'>, job: Pick<ChunkJob, 'claimed' | 'chunk' | 'pace'>) {
    this.#deps = deps
    this.#job = job
  }

  of(recipient: Recipient): DeliveryIds {
    this.#ids ??= this.#makeAll()
    const ids = this.#ids.get(recipient)
    if (ids === undefined) throw new Error('a message is sent to somebody who is not in the chunk')
    return ids
  }

  #makeAll(): ReadonlyMap<Recipient, DeliveryIds> {
    const { claimed, chunk, pace } = this.#job
    const { brandId, notificationId } = claimed
    const recipients = chunk.recipients.slice(0, pace.count)
    const names = { brandId, notificationId, subscriptionIds: recipients.map(({ id }) => id) }
    const receipts = this.#deps.receipts.signAll(names, this.#deps.clock.now())
    const callerId = chunk.callerNotificationId?.toString()
    const made = new Map<Recipient, DeliveryIds>()
    for (const [place, own] of deliveryIds(names).entries()) {
      const recipient = recipients[place]
      const receipt = receipts[place]
      if (recipient === undefined || receipt === undefined) continue
      made.set(recipient, { deliveryId: own, collapseId: callerId ?? own, receipt })
    }
    return made
  }
}
