import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { RowRange } from '../../store/event-files/hot-rows.ts'
import type { RestsMax } from './freeze-pace.ts'

/** A range of rows that is to be in files: the rest of a week for the first time, or a file whose events changed. */
export type FreezeTask = {
  readonly range: RowRange
  readonly rests: RestsMax
  /** The file that is written again; null for a week that has none. */
  readonly replaces: string | null
  /** Whether the rows of the range are to be dropped. */
  readonly drops: boolean
  /** When the first event was deleted that is still in the file; null if none was. */
  readonly goneAt: number | null
}

/** Erased people must leave the files within a day, however many files there are and however many events come in. */
export function isUrgent({ goneAt }: Pick<FreezeTask, 'goneAt'>, now: number): boolean {
  return goneAt !== null && goneAt <= now - EVENT_FILE_LIMITS.goneUrgentMs
}
