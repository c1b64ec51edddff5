/** The progress of one table. `rows` is null until the end of the table. */
export type Progress = { readonly table: string; readonly bytes: number; readonly rows: number | null }

export type OnProgress = (progress: Progress) => void

/** Counts the bytes of one table; reports them now and then, and the number of rows at the end. */
export type CopyMeter = { add(bytes: number): void; end(rows: number): void }

const REPORT_BYTES = 32 * 1024 * 1024

export function startMeter(table: string, onProgress: OnProgress): CopyMeter {
  let bytes = 0
  let reported = 0
  return {
    add: (more) => {
      bytes += more
      if (bytes - reported < REPORT_BYTES) return
      reported = bytes
      onProgress({ table, bytes, rows: null })
    },
    end: (rows) => onProgress({ table, bytes, rows }),
  }
}
