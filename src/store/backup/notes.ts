import type { Partition, Sequence, Table } from './catalogue.ts'

/**
 * A backup is an archive in this order: the head; for each table its name, its rows as `copy` writes them, and their
 * number; the tail.
 */
export type BackupNote = Head | TableBegin | TableEnd | Tail

export type Head = {
  readonly kind: 'head'
  readonly schemaVersion: number
  readonly madeAt: number
  readonly tables: readonly Table[]
  readonly partitions: readonly Partition[]
  /** Small files of the data folder without which the rows cannot be read: the secret. */
  readonly files: readonly SmallFile[]
}

export type SmallFile = { readonly name: string; readonly text: string }
export type TableBegin = { readonly kind: 'table'; readonly name: string }
export type TableEnd = { readonly kind: 'rows'; readonly count: number }
export type Tail = { readonly kind: 'tail'; readonly sequences: readonly Sequence[] }

/**
 * Whether a value from an archive is a note. The archive's seal vouches for its fields, so only the kind is checked.
 */
export function isNote(value: unknown): value is BackupNote {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    ['head', 'table', 'rows', 'tail'].includes(value.kind)
  )
}
