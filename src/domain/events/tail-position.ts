import { parseInt64 } from '../values/int64.ts'

/** A position among a brand's events, in commit order: all events up to and including this one were shown. */
export type TailPosition = {
  /** The number of the transaction that stored the event, 64 bits as text. */
  readonly tx: string
  readonly eventId: bigint
}

/** The batch that an event belongs to: a batch has 1024 ids. */
export function batchOf(eventId: bigint): bigint {
  return eventId - (eventId % BATCH_IDS)
}

/** The position after a whole batch. */
export function afterBatch({ tx, batchId }: { readonly tx: string; readonly batchId: bigint }): TailPosition {
  return { tx, eventId: batchId + LAST_OF_BATCH }
}

/** Whether a position is the end of its batch, so that nothing more of the batch can follow. */
export function isWholeBatch({ eventId }: TailPosition): boolean {
  return eventId % BATCH_IDS === LAST_OF_BATCH
}

export function isLater(one: TailPosition, than: TailPosition): boolean {
  const [tx, other] = [BigInt(one.tx), BigInt(than.tx)]
  return tx === other ? one.eventId > than.eventId : tx > other
}

/** A position as the `id` of a server-sent event. */
export function positionText({ tx, eventId }: TailPosition): string {
  return `${tx}-${eventId}`
}

export function parsePosition(text: string): TailPosition | null {
  const [, tx, digits = ''] = /^(\d{1,19})-(\d{1,19})$/.exec(text) ?? []
  const eventId = parseInt64(digits)
  return tx === undefined || eventId === null ? null : { tx, eventId }
}

const BATCH_IDS = 1024n
const LAST_OF_BATCH = BATCH_IDS - 1n
