import { readFile } from 'node:fs/promises'

/** A user of this machine, by the numbers the kernel knows. */
export type OsAccount = { readonly name: string; readonly uid: number; readonly gid: number }

/** The machine's users but root. A machine without the file has none that we could borrow. */
export async function loadAccounts(): Promise<readonly OsAccount[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return text
    .split('\n')
    .map(parseAccount)
    .filter((account) => account.uid > 0 && account.gid > 0)
}

/** `name:password:uid:gid:…`; a line of another shape gives NaN, which the caller's comparison drops. */
function parseAccount(line: string): OsAccount {
  const [name = '', , uid = '', gid = ''] = line.split(':')
  return { name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) }
}
