/** Bounds of a list that is imported as it arrives. Memory holds one batch, whatever the list's length. */
export const IMPORT_LIMITS = {
  bytesMax: 1024 * 1024 * 1024,
  rowBytesMax: 64 * 1024,
  /** What is stored in one transaction, and how often progress is told. */
  batchRows: 1_000,
  /** The report counts every refused row and shows this many of them. */
  refusalsMax: 100,
  /** Fields that did nothing are named once each, up to this many. */
  warningsMax: 20,
} as const
