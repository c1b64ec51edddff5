import { chmod, lchown, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Launch } from './program.ts'

/**
 * Gives the data folder the owner and the permissions that PostgreSQL requires. A folder that root created in a user
 * namespace gets another owner when the machine no longer allows namespaces.
 */
export async function chownDataFolder({ account }: Launch, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  if (account === null || (await stat(folder)).uid === account.uid) return
  const entries = await readdir(folder, { recursive: true })
  for (const entry of entries) await lchown(join(folder, entry), account.uid, account.gid)
  await lchown(folder, account.uid, account.gid) // last, so that a start killed half-way begins again
}
