import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode, StartError } from './errors.ts'

/** Creates the data folder if it is missing, readable by its owner only, and throws if it cannot be used. */
export async function openDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await tryFolder(dataDir)
  } catch (cause) {
    // The operator can change the permissions, so the error is a sentence with the folder's name.
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${errorCode(cause)}): ` +
        'give it to the user who runs Beckon, or choose another BECKON_DATA_DIR.',
      { cause },
    )
  }
}

/** Throws when no file can be created in the folder. Only a try tells: root may write everywhere, but not in /proc. */
export async function tryFolder(folder: string): Promise<void> {
  await rmdir(await mkdtemp(join(folder, '.beckon-')))
}

/** One folder at a time, because Node's recursive mkdir loops for ever on file systems that report a missing parent. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() === true) return
  if (folder !== dirname(folder)) await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch(async (cause: unknown) => {
    // Another process created it meanwhile.
    if ((await stat(folder).catch(() => null))?.isDirectory() !== true) throw cause
  })
}
