import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../error-code.ts'

/** Only its owner may read it: whoever knows it is the database's superuser. */
const MODE = 0o600
const PASSWORD_BYTES = 32

/** The server's password, or null before the first start. */
export async function loadPassword(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(passwordFile(dataDir), 'utf8')).trim()
  } catch (cause) {
    // Not made yet is an answer; a file that is there and cannot be read is an error.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

/** Makes a password for a new server, or keeps the one that is there. It appears whole, by a link. */
export async function makePassword(dataDir: string): Promise<string> {
  const known = await loadPassword(dataDir)
  if (known !== null) return known
  const draft = `${passwordFile(dataDir)}.${randomUUID()}`
  const password = randomBytes(PASSWORD_BYTES).toString('hex')
  await writeFile(draft, `${password}\n`, { mode: MODE, flush: true })
  try {
    await link(draft, passwordFile(dataDir))
  } finally {
    await rm(draft, { force: true })
  }
  return password
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password')
}
