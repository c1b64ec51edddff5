import { open } from 'node:fs/promises'

/** Writes a folder's list of names to disk. Without this, a power cut can undo a rename although the file is on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
