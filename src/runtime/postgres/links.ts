import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { errorCode, StartError } from '../errors.ts'

/** `target` is a symbolic link to the library file `source`. */
type Link = { readonly source: string; readonly target: string }

/**
 * npm packages cannot contain symbolic links, so the package lists them and creates them in its install script. Some npm
 * set-ups block such scripts, so every start creates the links that are missing. Two starts at once are harmless: a link
 * appears under its final name by a rename.
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
  // The link is missing, or a plain file has its name: in both cases the link is created.
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
