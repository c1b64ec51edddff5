import { unreachable } from '../../domain/unreachable.ts'
import type { Frame } from '../../runtime/archive/frame.ts'
import { damaged, readArchive } from '../../runtime/archive/read.ts'
import { type BackupNote, type Head, isNote, type Tail } from './notes.ts'

/** The three steps of reading a backup, in the order of the file. */
export type BackupReader = {
  head(head: Head): Promise<void>
  /** Consumes the rows and returns their number. */
  table(name: string, rows: AsyncIterable<Uint8Array>): Promise<number>
  tail(tail: Tail): Promise<void>
}

type Backup = { readonly file: string; readonly frames: AsyncGenerator<Frame> }

/** Passes a whole backup to a reader, and checks that every table has as many rows as it had. */
export async function readBackup(file: string, reader: BackupReader): Promise<void> {
  const backup = { file, frames: readArchive(file) }
  for (let note = await nextNote(backup); note !== null; note = await nextNote(backup)) {
    await readPart(note, backup, reader)
  }
}

/** The next note; null at the end of the file. */
async function nextNote({ file, frames }: Backup): Promise<BackupNote | null> {
  const { value: frame, done } = await frames.next()
  if (done === true) return null
  if (frame.kind === 'note' && isNote(frame.value)) return frame.value
  throw damaged(file, 'rows stand in it outside of a table')
}

async function readPart(note: BackupNote, backup: Backup, reader: BackupReader): Promise<void> {
  switch (note.kind) {
    case 'head':
      return reader.head(note)
    case 'table':
      return readTable(note.name, backup, reader)
    case 'tail':
      return reader.tail(note)
    case 'rows':
      throw damaged(backup.file, 'a table in it ends twice')
    default:
      return unreachable(note)
  }
}

async function readTable(name: string, backup: Backup, reader: BackupReader): Promise<void> {
  let promised: number | null = null
  async function* rows(): AsyncGenerator<Uint8Array> {
    while (promised === null) {
      const { value: frame, done } = await backup.frames.next()
      if (done === true) return
      if (frame.kind === 'bytes') yield frame.bytes
      else if (isNote(frame.value) && frame.value.kind === 'rows') promised = frame.value.count
      else throw damaged(backup.file, `the table ${name} has no end`)
    }
  }
  const found = await reader.table(name, rows())
  if (found !== promised)
    throw damaged(backup.file, `the table ${name} has ${found} rows, and had ${promised}`)
}
