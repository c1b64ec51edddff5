import { chmod, lchown, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Launch } from './program.ts'

/**
 * Puts the data folder into the state PostgreSQL insists on: its user's own, closed to everybody else. A folder
 * made by root in a namespace changes hands when the machine no longer allows namespaces.
 */
export async function chownDataFolder({ account }: Launch, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  if (account === null || (await stat(folder)).uid === account.uid) return
  const entries = await readdir(folder, { recursive: true })
  for (const entry of entries) await lchown(join(folder, entry), account.uid, account.gid)
  await lchown(folder, account.uid, account.gid) // last, so that a start killed half-way begins again
}
