import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { RowRange } from '../../store/event-files/hot-rows.ts'

/** A range of rows to write to files: the part of a week that is in no file yet, or the range of a file that is written again. */
export type FreezeTask = {
  readonly range: RowRange
  /** The most time for the copy of an event, its rests included (`FreezePace`). */
  readonly eventMsMax: number
  /** The file that is written again; null for a week that has none. */
  readonly replaces: string | null
  /** Whether the rows of the range are to be dropped. */
  readonly drops: boolean
  /** When the first of the deleted events that the file still has was deleted; null if it has none. */
  readonly goneAt: number | null
}

/** Erased people must leave the files within a day, however many files there are and however many events come in. */
export function isUrgent({ goneAt }: Pick<FreezeTask, 'goneAt'>, now: number): boolean {
  return goneAt !== null && goneAt <= now - EVENT_FILE_LIMITS.goneUrgentMs
}
