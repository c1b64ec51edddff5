import { join } from 'node:path'
import { openDataFolder } from '../open-folder.ts'
import { loadSecret, makeSecret } from './kept-secret.ts'

/** The secret of this data folder, which decrypts every stored credential; null before the first start. */
export async function loadSecretFile(dataDir: string): Promise<string | null> {
  return loadSecret(secretFile(dataDir))
}

/** Creates the secret, or keeps the existing one. */
export async function makeSecretFile(dataDir: string, secret?: string): Promise<string> {
  await openDataFolder(dataDir)
  return makeSecret(secretFile(dataDir), secret)
}

export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}
