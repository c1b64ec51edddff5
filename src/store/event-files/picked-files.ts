import { unreachable } from '../../domain/unreachable.ts'
import { writtenInstant } from '../bind.ts'
import type { EventNeed, EventPick } from '../event-needs.ts'

/** The condition that a listed file `f` may have events of a pick. A place is its whole millisecond, as in `thawSql`. */
export function pickedSql(pick: EventPick): string {
  switch (pick.kind) {
    case 'all':
    case 'each':
      return 'true'
    case 'newest':
      return pick.before === null ? 'true' : `f.least_event_at < ${writtenInstant(pick.before.at + 1)}`
    case 'latest':
      return pick.beforeId === null ? 'true' : `f.first_id < ${pick.beforeId}`
    case 'next':
      return `f.end_id > ${pick.afterId + 1n}`
    case 'following':
      return pick.after === null ? 'true' : `f.greatest_event_at >= ${writtenInstant(pick.after.at)}`
    default:
      return unreachable(pick)
  }
}

/** The facts of a listed file by which it is told whether a pick needs it. */
export type PickableFile = {
  readonly firstId: bigint
  readonly endId: bigint
  /** The number of events in the file. */
  readonly events: number
  readonly changed: readonly bigint[]
  /** Whether the time of the need has all of its events. */
  readonly isWhole: boolean
}

/**
 * The files that surely hold as many events as a pick by id takes, of all that may have some, by id: a page of an export reads few files, and
 * not those of all years. If anything else narrows the need, nobody knows how many of a file's events it takes.
 */
export function enoughFiles<File extends PickableFile>(
  files: readonly File[],
  { pick, people, names, where }: Pick<EventNeed, 'pick' | 'people' | 'names' | 'where'>,
): readonly File[] {
  if (people !== null || names !== null || where.length > 0) return files
  if (pick.kind === 'next') return firstFiles(files, pick.limit, ({ firstId }) => firstId > pick.afterId)
  if (pick.kind !== 'latest') return files
  const { limit, beforeId } = pick
  const fromTheLast = files.toReversed()
  return firstFiles(fromTheLast, limit, ({ endId }) => beforeId === null || endId <= beforeId).toReversed()
}

/** A file that is cut by a place or by the time may hold none. A note of a change may be of an event that the file never had. */
function firstFiles<File extends PickableFile>(
  files: readonly File[],
  limit: number,
  isBeyond: (file: File) => boolean,
): readonly File[] {
  let held = 0
  const last = files.findIndex((file) => {
    if (file.isWhole && isBeyond(file)) held += Math.max(0, file.events - file.changed.length)
    return held >= limit
  })
  return last < 0 ? files : files.slice(0, last + 1)
}
