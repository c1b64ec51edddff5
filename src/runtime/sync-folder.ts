import { open } from 'node:fs/promises'

/** Brings a folder's list of names to disk: without it, a power cut can undo a rename though the file is safe. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
