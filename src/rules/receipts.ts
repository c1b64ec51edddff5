/** What a device may tell of a delivery. Each counts once. */
export const RECEIPT_KINDS = ['received', 'clicked', 'dismissed', 'button'] as const

export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

/** A device that was offline tells all at once. */
export const RECEIPTS_PER_CALL_MAX = 100
