import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { errorCode } from '../errors.ts'

const SECRET_BYTES = 32
/** Only its owner may read it: whoever can is let in everywhere. */
const MODE = 0o600

/** The secret in this file, or null before it was made. */
export async function loadSecret(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    // Not made yet is an answer; a file that is there and cannot be read is an error.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

/** Makes the secret, or keeps the one that is there. It appears whole, by a link, and is on disk before it is used. */
export async function makeSecret(
  file: string,
  secret = randomBytes(SECRET_BYTES).toString('hex'),
): Promise<string> {
  const known = await loadSecret(file)
  if (known !== null) return known
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, `${secret}\n`, { mode: MODE, flush: true })
  try {
    await link(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return secret
}
