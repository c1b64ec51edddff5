import { access, constants, mkdir } from 'node:fs/promises'
import { errorCode } from './error-code.ts'
import { StartError } from './start-error.ts'

/** Makes the data folder if it is missing, closed to others, and refuses one that we cannot use. */
export async function openDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    // A folder that is closed to us is the operator's to open; the sentence says which one it is.
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${errorCode(cause)}): ` +
        'give it to the user who runs Beckon, or choose another BECKON_DATA_DIR.',
      { cause },
    )
  }
}
