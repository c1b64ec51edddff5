import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EVENT_FILE_NAMES } from '../../rules/event-files.ts'
import { errorCode } from '../../runtime/errors.ts'
import type { Db } from '../../store/db.ts'
import { forgetWeeksOf, type ListedFile, listFiles } from '../../store/event-files/manifest.ts'

/** The findings of a sweep of the folder: files that were on no list, and listed files that are not there as they were. */
export type Swept = { readonly removed: readonly string[]; readonly lost: readonly string[] }

/**
 * Makes folder and list agree. A file that is on no list is the rest of a killed process, or belongs to a week or a brand that
 * is gone: it is removed. A file that is missing or has another size makes its week unfrozen; the rows are read instead.
 * Only the process that freezes may call this, because a file is listed a moment after it was written.
 */
export async function sweepFolder(db: Db, folder: string): Promise<Swept> {
  const listed = await listFiles(db)
  const lost = await findLost(listed, folder)
  await forgetWeeksOf(db, lost)
  const known = new Set((await listFiles(db)).map(({ path }) => path))
  const strays = (await findOurs(folder)).filter((path) => !known.has(path))
  for (const path of strays) await rm(join(folder, path), { recursive: true, force: true })
  return { removed: strays, lost }
}

/** The listed files that are missing, or have another size. */
export async function findLost(listed: readonly ListedFile[], folder: string): Promise<readonly string[]> {
  const lost: string[] = []
  for (const { path, bytes } of listed) {
    if ((await sizeOf(join(folder, path))) !== bytes) lost.push(path)
  }
  return lost
}

async function sizeOf(path: string): Promise<bigint | null> {
  try {
    return (await stat(path, { bigint: true })).size
  } catch (cause) {
    // A file that is not there is an answer here. Any other failure is one of the disk.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

/** The names that freezing gives. Everything else in the folder is somebody else's, and stays. */
async function findOurs(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await readdir(folder)) {
    if (name.startsWith(EVENT_FILE_NAMES.scratch)) found.push(name)
    if (!/^brand=\d+$/.test(name)) continue
    for (const week of await readdir(join(folder, name))) {
      if (!/^week=[\d-]+$/.test(week)) continue
      const files = await readdir(join(folder, name, week))
      const ours = files.filter((file) => /^events-\d+-[\da-f]+\.parquet(?:\.part)?$/.test(file))
      found.push(...ours.map((file) => `${name}/${week}/${file}`))
    }
  }
  return found
}
