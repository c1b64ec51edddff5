import type { FilePlace } from '../intake/event-files/file-place.ts'
import { openPlace } from '../intake/event-files/open-place.ts'
import { findDamaged, findLost } from '../intake/event-files/sweep.ts'
import { EVENT_FILE_LOOKS } from '../rules/event-files.ts'
import { reasonOf } from '../runtime/errors.ts'
import { eventRowsConflicts } from '../runtime/event-store-setting.ts'
import type { Db } from '../store/db.ts'
import { type ListedFile, listFiles } from '../store/event-files/manifest.ts'
import { bad, type Finding, good, type Patient, sizeOf, warn } from './doctor-check.ts'

/** Looks for each listed file of frozen events, at its size, and at its content. */
export async function lookAtEventFiles(db: Db, { config }: Patient): Promise<Finding> {
  await db.query('begin read only; set local role beckon_engine')
  const listed = await listFiles(db)
  await db.query('commit')
  const opened = openPlace(config)
  if (opened === null) return placeless(listed)
  const { place, store } = opened
  const kept = store === null ? 'folder' : 'bucket'
  // A place that cannot be read is a finding too.
  const bounds = { chance: Math.random(), timeMaxMs: EVENT_FILE_LOOKS.comparingMsMax }
  const finding = await lookAtPlace({ place, kept, listed, ...bounds }).catch((cause: unknown) =>
    warn(
      reasonOf(cause),
      `Look at the place of event files. Until then ${listed.some(({ isAlone }) => isAlone) ? UNREAD : READ}.`,
    ),
  )
  store?.close()
  return store === null ? finding : lookAtCache(finding, { listed, cacheMib: config.eventFilesCacheMib })
}

const READ = 'events are read from their rows'
const UNREAD = 'events without rows cannot be read'

type Place = {
  readonly place: FilePlace
  readonly kept: 'folder' | 'bucket'
  readonly listed: readonly ListedFile[]
  /** In [0, 1). The files that are compared begin here. */
  readonly chance: number
  readonly timeMaxMs: number
}

async function lookAtPlace(looked: Place): Promise<Finding> {
  const { place, listed } = looked
  const lost = findLost(listed, await place.list())
  return lost.length > 0 ? lostFinding(listed, lost) : lookAtContent(looked)
}

function placeless(listed: readonly ListedFile[]): Finding {
  if (listed.length === 0) return good('weeks are not frozen')
  if (listed.some(({ isAlone }) => isAlone))
    return bad(
      `${listed.length} files, and no place for them`,
      'Set BECKON_EVENT_FILES_DIR or BECKON_EVENT_FILES_URL here too. Some events are in files only, and cannot be read.',
    )
  return warn(
    `${listed.length} files, and no place for them`,
    'Set BECKON_EVENT_FILES_DIR or BECKON_EVENT_FILES_URL here too. Until then events are read from their rows.',
  )
}

function lostFinding(listed: readonly ListedFile[], lost: readonly string[]): Finding {
  const gone = listed.find(({ path, isAlone }) => isAlone && lost.includes(path))
  if (gone !== undefined)
    return bad(
      `${lost.length} of ${listed.length} files are missing or damaged, such as ${gone.path}, which has the only copy of its events`,
      'Bring the file back from a copy of the folder or bucket of event files.',
    )
  return warn(
    `${lost.length} of ${listed.length} files are missing or damaged, such as ${lost[0]}`,
    'Look at the folder or bucket of event files. A worker writes such files anew; no event is lost.',
  )
}

/** A worker sees that a file is missing or has another size, and not that a disk has changed a byte of it. */
export async function lookAtContent({ place, kept, listed, chance, timeMaxMs }: Place): Promise<Finding> {
  const { alone = [], copies = [] } = Object.groupBy(listed, ({ isAlone }) => (isAlone ? 'alone' : 'copies'))
  // Each object has to be fetched, so those whose rows are there are compared by size only.
  const newest = kept === 'bucket' ? [] : copies.slice(-EVENT_FILE_LOOKS.comparedMax)
  const wanted = [...beginAt(alone, chance), ...beginAt(newest, chance)]
  const { comparedCount, lateCount, damaged } = await findDamaged(place, wanted, timeMaxMs)
  if (damaged.length === 0 && lateCount > 0)
    return warn(
      wholeDetail(
        listed,
        `only ${comparedCount} of ${comparedCount + lateCount} by SHA-256 in the time for it`,
      ),
      'Run the doctor again, when the machine and the place of event files have less to do: each run begins at another file.',
    )
  if (damaged.length === 0 && kept === 'bucket' && alone.length === 0)
    return good(wholeDetail(listed, 'by size'))
  if (damaged.length === 0) return good(wholeDetail(listed, `${comparedCount} by SHA-256`))
  const only = alone.find(({ path }) => damaged.includes(path))
  if (only !== undefined)
    return bad(
      `${damaged.length} of ${comparedCount} compared files cannot be read or have another SHA-256, such as ${only.path}, which has the only copy of its events`,
      'Bring the file back from a copy of the folder or bucket of event files, and look at the disk.',
    )
  return warn(
    `${damaged.length} of ${comparedCount} compared files cannot be read or have another SHA-256, such as ${damaged[0]}`,
    'Remove the file, and look at the disk. A worker writes it anew; no event is lost.',
  )
}

/** The same files from another one on. If there is no time for all of them, no file is always among the others. */
function beginAt(files: readonly ListedFile[], chance: number): readonly ListedFile[] {
  const first = Math.floor(chance * files.length)
  return [...files.slice(first), ...files.slice(0, first)]
}

function wholeDetail(listed: readonly ListedFile[], how: string): string {
  if (listed.length === 0) return 'no week is frozen yet'
  const bytes = listed.reduce((sum, file) => sum + Number(file.bytes), 0)
  const alone = listed.filter(({ isAlone }) => isAlone).length
  const only = alone === 0 ? '' : `; ${alone} have the only copy of their events`
  return `${listed.length} files, ${sizeOf(bytes)}, compared ${how}${only}`
}

/** Whether the cache holds all files with the only copy of events. If it does not, the files of a statement are fetched one part after the other. */
export function lookAtCache(finding: Finding, { listed, cacheMib }: Cached): Finding {
  const bytes = listed.reduce((sum, file) => sum + (file.isAlone ? Number(file.bytes) : 0), 0)
  if (finding.state !== 'good' || bytes <= cacheMib * MIB) return finding
  return warn(
    `${finding.detail}, ${sizeOf(bytes)}, and the cache holds ${sizeOf(cacheMib * MIB)}`,
    `Set BECKON_EVENT_FILES_CACHE to more than ${Math.ceil(bytes / MIB)}. Until then, what reads old events fetches the same files again and again.`,
  )
}

type Cached = { readonly listed: readonly ListedFile[]; readonly cacheMib: number }

const MIB = 1_048_576

/** Says why rows of frozen events stay in the database. The start refuses to drop them for the same reasons. */
export async function lookAtEventRows({ config }: Patient): Promise<Finding> {
  const { eventRowsDays } = config
  if (eventRowsDays !== null)
    return good(`leave the database after ${eventRowsDays} days, once they are in files`)
  const [reason = 'BECKON_EVENT_ROWS_DAYS is not set.'] = eventRowsConflicts({ ...config, eventRowsDays: 0 })
  return good(`stay in the database: ${reason}`)
}
