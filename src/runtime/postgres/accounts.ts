import { readFile } from 'node:fs/promises'

/** An account of the operating system, with its uid and gid. */
export type OsAccount = { readonly name: string; readonly uid: number; readonly gid: number }

/** The users of this machine except root; none on a machine without the file. */
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
