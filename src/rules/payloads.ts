/** Room that is kept in every payload for what is each delivery's own, and not known when a message is accepted. */
export const PAYLOAD_ROOM = {
  /** A device's signed receipt token. */
  receiptCharsMax: 128,
} as const
