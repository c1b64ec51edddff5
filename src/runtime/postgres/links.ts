import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { errorCode, StartError } from '../errors.ts'

/** One library file under another name: `target` is to be a symbolic link that leads to `source`. */
type Link = { readonly source: string; readonly target: string }

/**
 * npm cannot carry symbolic links, so the package lists them and makes them in its install script. Some npm
 * set-ups block such scripts; therefore every start looks, and makes what is missing. Two starts at once are
 * harmless: a link appears whole, under its final name, by a rename.
 */
export async function repairLinks(packageFolder: string): Promise<void> {
  for (const { source, target } of await loadLinks(packageFolder)) {
    const link = join(packageFolder, target)
    const wanted = relative(dirname(target), source)
    if ((await leadsTo(link)) !== wanted) await makeLink(link, wanted)
  }
}

async function loadLinks(packageFolder: string): Promise<readonly Link[]> {
  const list: unknown = JSON.parse(await readFile(join(packageFolder, 'native/pg-symlinks.json'), 'utf8'))
  return Array.isArray(list) ? list.filter(isLink) : []
}

function isLink(row: unknown): row is Link {
  if (typeof row !== 'object' || row === null || !('source' in row && 'target' in row)) return false
  return typeof row.source === 'string' && typeof row.target === 'string'
}

async function leadsTo(link: string): Promise<string | null> {
  // Missing, or a plain file in its place: both mean that the link has to be made.
  return readlink(link).catch(() => null)
}

async function makeLink(link: string, wanted: string): Promise<void> {
  const draft = `${link}.${randomUUID()}`
  try {
    await symlink(wanted, draft)
    await rename(draft, link)
  } catch (cause) {
    throw new StartError(
      `The library link ${basename(link)} is missing in ${dirname(link)} and cannot be made (${errorCode(cause)}): ` +
        'run npm install as the owner of that folder.',
      { cause },
    )
  }
}
