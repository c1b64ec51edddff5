import type { OnProgress } from '../store/backup/progress.ts'
import { countRows } from './terminal.ts'

/** The progress of a backup or restore. */
type Copy = { readonly onProgress: OnProgress; readonly total: () => string }

/** Prints on standard error which table is copied and how far; empty tables are left out. */
export function watchCopy(): Copy {
  let rowsTotal = 0
  let bytesTotal = 0
  return {
    onProgress: ({ table, bytes, rows }) => {
      if (rows === 0) return
      const amount = rows === null ? 'so far' : countRows(rows)
      process.stderr.write(`  ${table.replace(/^public\./, '')}  ${amount}  ${size(bytes)}\n`)
      if (rows === null) return
      rowsTotal += rows
      bytesTotal += bytes
    },
    total: () => `${countRows(rowsTotal)}, ${size(bytesTotal)}`,
  }
}

/** A size in kB, MB or GB. */
export function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
