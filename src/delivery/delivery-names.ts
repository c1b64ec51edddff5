import { deliveryIds } from '../runtime/secrets/receipt-token.ts'
import type { DeliveryIds } from './channel-sender.ts'
import type { ChunkJob, SendDeps } from './chunk-job.ts'

/**
 * The ids and receipt tokens of a chunk's deliveries. All are made at the first send, because the day of a token is that
 * of the sending, and because many that are made together cost a tenth.
 */
export class DeliveryNames {
  readonly #deps: Pick<SendDeps, 'clock' | 'receipts'>
  readonly #job: Pick<ChunkJob, 'claimed' | 'chunk' | 'pace'>
  #made: MadeNames | null = null

  constructor(deps: Pick<SendDeps, 'clock' | 'receipts'>, job: Pick<ChunkJob, 'claimed' | 'chunk' | 'pace'>) {
    this.#deps = deps
    this.#job = job
  }

  /** The ids of the recipient at a place of the chunk. */
  of(place: number): DeliveryIds {
    this.#made ??= this.#makeAll()
    const { deliveryIds: own, receipts, callerId } = this.#made
    const [deliveryId, receipt] = [own[place], receipts[place]]
    if (deliveryId === undefined || receipt === undefined) {
      throw new Error('a message is sent to somebody who is not in the chunk')
    }
    return { deliveryId, collapseId: callerId ?? deliveryId, receipt }
  }

  #makeAll(): MadeNames {
    const { claimed, chunk, pace } = this.#job
    const { brandId, notificationId } = claimed
    const subscriptionIds = chunk.recipients.slice(0, pace.count).map(({ id }) => id)
    const names = { brandId, notificationId, subscriptionIds }
    return {
      deliveryIds: deliveryIds(names),
      receipts: this.#deps.receipts.signAll(names, this.#deps.clock.now()),
      callerId: chunk.callerNotificationId?.toString() ?? null,
    }
  }
}

/** The ids and receipts of all recipients, in the order of the chunk. */
type MadeNames = {
  readonly deliveryIds: readonly string[]
  readonly receipts: readonly string[]
  readonly callerId: string | null
}
