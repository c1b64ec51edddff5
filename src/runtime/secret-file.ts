import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './error-code.ts'
import { openDataFolder } from './open-folder.ts'

const SECRET_BYTES = 32
/** Only its owner may read it: whoever has it can open every stored credential. */
const MODE = 0o600

/** The secret of this data folder, or null before the first start. */
export async function loadSecretFile(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(secretFile(dataDir), 'utf8')).trim()
  } catch (cause) {
    // Not made yet is an answer; a file that is there and cannot be read is an error.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

/** Makes the secret, or keeps the one that is there. It appears whole, by a link, and is on disk before it is used. */
export async function makeSecretFile(
  dataDir: string,
  secret = randomBytes(SECRET_BYTES).toString('hex'),
): Promise<string> {
  await openDataFolder(dataDir)
  const known = await loadSecretFile(dataDir)
  if (known !== null) return known
  const draft = `${secretFile(dataDir)}.${randomUUID()}`
  await writeFile(draft, `${secret}\n`, { mode: MODE, flush: true })
  try {
    await link(draft, secretFile(dataDir))
  } finally {
    await rm(draft, { force: true })
  }
  return secret
}

export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}
