import { join } from 'node:path'
import { loadSecret, makeSecret } from '../secrets/kept-secret.ts'

/** The password of the server's superuser, or null before the first start. */
export async function loadPassword(dataDir: string): Promise<string | null> {
  return loadSecret(passwordFile(dataDir))
}

/** Creates the password of a new server, or keeps the existing one. */
export async function makePassword(dataDir: string): Promise<string> {
  return makeSecret(passwordFile(dataDir))
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password')
}
