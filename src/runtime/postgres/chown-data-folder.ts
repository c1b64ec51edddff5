import { chmod, lchown, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Launch } from './program.ts'

/**
 * Gives the data folder the owner and the permissions that PostgreSQL requires. Root's PostgreSQL runs in a user namespace
 * where the machine allows that, and else as an ordinary account. A machine that stops allowing it leaves a folder that
 * belongs to root, so all of it is given to that account.
 */
export async function chownDataFolder({ account }: Launch, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  if (account === null || (await stat(folder)).uid === account.uid) return
  const entries = await readdir(folder, { recursive: true })
  for (const entry of entries) await lchown(join(folder, entry), account.uid, account.gid)
  await lchown(folder, account.uid, account.gid) // last, so that a start killed half-way begins again
}
