import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EVENT_FILE_NAMES } from '../../rules/event-files.ts'
import type { Database } from '../../store/db.ts'
import { listKept } from '../../store/event-files/dropping.ts'
import { forgetWeeksOf, type ListedFile, listFiles } from '../../store/event-files/manifest.ts'
import type { FilePlace } from './file-place.ts'

/**
 * The findings of a sweep: files that were on no list, and listed files that are not there as they were. Those that are `gone` had the only
 * copy of their events.
 */
export type Swept = {
  readonly removed: readonly string[]
  readonly lost: readonly string[]
  readonly gone: readonly string[]
}

/**
 * Makes the place of the files and the list agree. A file that is on no list is the rest of a killed process, or belongs to a week or
 * a brand that is gone: it is removed, unless somebody uses such files (`useFiles`). A file that is missing or has another size makes its
 * week unfrozen; the rows are read instead. Only the process that freezes may call this.
 */
export async function sweepFiles(db: Database, place: FilePlace, now: number): Promise<Swept> {
  const found = await place.list()
  const listed = await listFiles(db)
  const lost = findLost(listed, found)
  const only = new Set(listed.filter(({ isAlone }) => isAlone).map(({ path }) => path))
  await forgetWeeksOf(db, lost)
  const kept = await db.asEngine(async (tx) => listKept(tx, now))
  const strays = kept === null ? [] : [...found.keys()].filter((path) => !kept.has(path))
  for (const path of strays) await place.remove(path)
  return {
    removed: [...strays, ...(await removeScratch(place.folder, 0))],
    lost: lost.filter((path) => !only.has(path)),
    gone: lost.filter((path) => only.has(path)),
  }
}

/** The listed files that are missing, or have another size. */
export function findLost(
  listed: readonly ListedFile[],
  found: ReadonlyMap<string, bigint>,
): readonly string[] {
  return listed.filter(({ path, bytes }) => found.get(path) !== bytes).map(({ path }) => path)
}

/** How many files were compared with the list, for how many there was no time, and those whose content is another one or cannot be read. */
type Comparison = {
  readonly comparedCount: number
  readonly lateCount: number
  readonly damaged: readonly string[]
}

/** Compares the content of files with the list, in order, for as long as there is time. Files that are not there are passed over. */
export async function findDamaged(
  place: FilePlace,
  files: readonly ListedFile[],
  timeMaxMs: number,
): Promise<Comparison> {
  const limit = AbortSignal.timeout(timeMaxMs)
  const damaged: string[] = []
  let comparedCount = 0
  let lateCount = 0
  for (const { path, bytes, sha256 } of files) {
    if (sha256 === '') continue
    const found = limit.aborted
      ? 'late'
      : await place
          .compare({ path, bytes: Number(bytes), sha256 }, limit)
          .catch((cause: unknown) => unlessLate(limit, cause))
    if (found === 'late') lateCount += 1
    else if (found !== 'missing') comparedCount += 1
    if (found === 'damaged') damaged.push(path)
  }
  return { comparedCount, lateCount, damaged }
}

/** A fetch that the end of the time broke off tells nothing of the object. */
function unlessLate(limit: AbortSignal, cause: unknown): 'late' {
  if (!limit.aborted) throw cause
  return 'late'
}

/**
 * Removes the lines and files that a killed process was making. Files for an object store are made on each machine by itself, so a process
 * that does not freeze removes those which are too old for the one that does.
 */
export async function removeScratch(folder: string, olderMs: number): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(EVENT_FILE_NAMES.scratch))
  const removed: string[] = []
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: 0 }))
    if (Date.now() - mtimeMs < olderMs) continue
    await rm(join(folder, name), { recursive: true, force: true })
    removed.push(name)
  }
  return removed
}
