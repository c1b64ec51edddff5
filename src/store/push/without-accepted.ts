import type { Db } from '../db.ts'
import { type PackedBits, unpackAccepted } from './accepted-blocks.ts'
import { BLOCK_POWER } from './delivery-sql.ts'

type NotificationRef = { readonly brandId: number; readonly notification: string }

/**
 * Leaves out the recipients of a notification who have a bit. They come in the order of their ids. The bits are read once,
 * because a block has a row for each settlement, language and variant: a condition in the query would look through all
 * of them for each recipient.
 */
export async function withoutAccepted<Recipient extends { readonly id: bigint }>(
  db: Db,
  { brandId, notification }: NotificationRef,
  recipients: readonly Recipient[],
): Promise<readonly Recipient[]> {
  const [first, last] = [recipients.at(0), recipients.at(-1)]
  if (first === undefined || last === undefined) return recipients
  const { rows } = await db.query<PackedBits>(LOAD, [brandId, notification, first.id, last.id])
  const accepted = unpackAccepted(rows)
  return recipients.filter(({ id }) => !accepted.has(id))
}

const LOAD = {
  name: 'load_accepted_bits',
  text: `select block, first_place as "firstPlace", bits from accepted_blocks
    where brand_id = $1 and notification_id = $2
      and block between $3::bigint >> ${BLOCK_POWER} and $4::bigint >> ${BLOCK_POWER}`,
}
