import { type Fault, fault } from '../../domain/fault.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { RECEIPT_KINDS, RECEIPTS_PER_CALL_MAX } from '../../rules/push.ts'
import type { ReceiptSigner } from '../../runtime/secrets/receipt-token.ts'
import { countReceipts, type ReceiptRow, saveReceipts } from '../../store/push/receipts.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { type OpenRequest, param, type TenantRequest } from '../request.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'

/** POST /api/v1/receipts: the signed token is the proof, so a device needs no key. */
export async function takeReceipts(
  { database, receipts, clock }: Deps,
  request: OpenRequest,
): Promise<Reply> {
  const parsed = parseBody(RECEIPT_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const now = clock.now()
  const opened = openReceipts(receipts, parsed.value.value.receipts, now)
  const [first, ...others] = opened.faults
  if (first !== undefined) return refuse({ faults: [first, ...others] })

  let counted = 0
  for (const [brandId, rows] of Map.groupBy(opened.rows, (row) => row.brandId)) {
    counted += await database.asBrand(brandId, async (tx) =>
      saveReceipts(tx, { brandId, receipts: rows, now }),
    )
  }
  return replySuccess({ counted }, { processed: opened.rows.length, warnings: parsed.value.warnings })
}

/** GET /api/v1/notifications/{id}/receipts */
export async function readReceipts({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const id = param(request, 'id')
  const { brandId } = request.caller
  const counts = isUuid(id)
    ? await database.asBrand(brandId, async (tx) => countReceipts(tx, { brandId, id }))
    : null
  if (counts === null) return refuse({ faults: [fault('notification_not_found')] })
  return replySuccess({
    receipts: Object.fromEntries(RECEIPT_KINDS.map((kind) => [kind, counts[kind] ?? 0])),
  })
}

const RECEIPT = Type.Object({
  receipt: Type.String({ maxLength: 128, description: 'The token that came with the message.' }),
  kind: Type.Enum([...RECEIPT_KINDS]),
  button: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2, description: 'The number of the button, for the kind `button`.' }),
  ),
})

export const RECEIPT_BODY = Type.Object({
  receipts: Type.Array(RECEIPT, { minItems: 1, maxItems: RECEIPTS_PER_CALL_MAX }),
})

type Opened = ReceiptRow & { readonly brandId: number }

function openReceipts(signer: ReceiptSigner, given: readonly Static<typeof RECEIPT>[], now: number) {
  const rows: Opened[] = []
  const faults: Fault[] = []
  for (const [index, { receipt, kind, button = null }] of given.entries()) {
    const delivery = signer.open(receipt, now)
    const field = `receipts[${index}].receipt`
    if (delivery === null) faults.push(fault('receipt_invalid', field))
    else if (delivery.age === 'expired') faults.push(fault('receipt_expired', field))
    else rows.push({ ...delivery, kind, button: kind === 'button' ? button : null })
  }
  return { rows, faults }
}
