import type { OnProgress } from '../store/backup/progress.ts'
import { countRows } from './terminal.ts'

/** What was copied so far. */
type Copy = { readonly onProgress: OnProgress; readonly total: () => string }

/** Tells on standard error which table is being copied, and how much of it; empty tables are passed over. */
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

/** In the unit a person would choose. */
export function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
