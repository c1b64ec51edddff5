import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode, StartError } from './errors.ts'

/** Makes the data folder if it is missing, closed to others, and refuses one that we cannot use. */
export async function openDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await tryFolder(dataDir)
  } catch (cause) {
    // A folder that is closed to us is the operator's to open; the sentence says which one it is.
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${errorCode(cause)}): ` +
        'give it to the user who runs Beckon, or choose another BECKON_DATA_DIR.',
      { cause },
    )
  }
}

/** Throws when nothing can be made in it. Only trying tells: root may write everywhere, and yet not in /proc. */
export async function tryFolder(folder: string): Promise<void> {
  await rmdir(await mkdtemp(join(folder, '.beckon-')))
}

/** Step by step, because Node's own recursive mkdir never ends where a file system answers that the parent is missing. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() === true) return
  if (folder !== dirname(folder)) await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch(async (cause: unknown) => {
    // Somebody made it in the meantime.
    if ((await stat(folder).catch(() => null))?.isDirectory() !== true) throw cause
  })
}
