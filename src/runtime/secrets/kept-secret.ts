import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { errorCode, StartError } from '../errors.ts'

const SECRET_BYTES = 32
/** Only the owner may read the file: the secret gives access to everything. */
const MODE = 0o600

/** The secret in this file, or null before it was created. */
export async function loadSecret(file: string): Promise<string | null> {
  const secret = await readText(file)
  // A full disk or a careless copy leaves an empty file. As a secret it would be one that everybody can guess.
  if (secret === '') throw new StartError(`The file ${file} is empty: put it back from a copy, or delete it.`)
  return secret
}

async function readText(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    // A missing file is an answer; a file that cannot be read is an error.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

/** Creates the secret, or keeps the existing one. The file appears complete, by a link, and is on disk before it is used. */
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
