import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { Db } from '../db.ts'
import type { RowRange } from './hot-rows.ts'

type FailedTry = {
  readonly range: RowRange
  /** The file that was to be written again; null for a week that has none. */
  readonly replaces: string | null
  readonly now: number
}

/** Notes that a range could not be written: it waits twice as long as after the failure before, up to a bound. */
export async function noteFailedTry(db: Db, { range, replaces, now }: FailedTry): Promise<void> {
  const { brandId, firstId } = range
  const { retryMsMin, retryMsMax } = EVENT_FILE_LIMITS
  const waiting = `failures = least(failures + 1, 1000), retry_at = $3::timestamptz
    + least($4::double precision * 2 ^ least(failures, 30), $5::double precision) * interval '1 millisecond'`
  const values = [brandId, firstId, new Date(now), retryMsMin, retryMsMax]
  if (replaces === null) {
    await db.query(
      `update event_file_weeks set ${waiting} where brand_id = $1 and first_id <= $2 and end_id > $2 and frozen_at is null`,
      values,
    )
    return
  }
  await db.query(`update event_files set ${waiting} where brand_id = $1 and first_id = $2 and path = $6`, [
    ...values,
    replaces,
  ])
}
