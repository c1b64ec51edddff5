import { BEST_HOUR_DOCUMENTS } from '../../rules/best-hours.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { numberAt } from '../values/checked.ts'
import { fits } from '../values/document.ts'
import { type DocumentReading, startReading } from '../values/document-reading.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'

/** Reads the best hour of a campaign's document: how long after the launch the last message leaves; null without one. */
export function parseBestHour(
  document: JsonObject,
  { isJudged }: Pick<DocumentReading, 'isJudged'> = { isJudged: true },
): Result<{ readonly withinMs: number } | null> {
  const value = document['best_hour']
  if (value === undefined || value === null) return accept(null)
  const reading = startReading(BEST_HOUR_DOCUMENTS, { kind: 'campaign', isJudged })
  const isFine = fits(reading, { type: 'named', name: 'CampaignBestHour' }, { path: 'best_hour', value })
  const [first, ...others] = isFine ? conflictsOf(document) : reading.faults
  if (first !== undefined) return reject(first, ...others)
  return isJsonObject(value) ? accept({ withinMs: numberAt(value, 'within_hours') * HOUR_MS }) : accept(null)
}

const HOUR_MS = 3_600_000

/** A best hour takes the place of a schedule. A comparison of variants needs messages that were sent at the same time. */
function conflictsOf(document: JsonObject): readonly Fault[] {
  const schedule = ['schedule_date', 'schedule_time', 'time_zone'].find((name) =>
    Object.hasOwn(document, name),
  )
  const isDecided = document['winner'] !== undefined && document['winner'] !== null
  return [
    ...(schedule === undefined
      ? []
      : [fault('field_conflict', 'best_hour', { detail: `send either best_hour or ${schedule}` })]),
    ...(isDecided
      ? [
          fault('field_conflict', 'best_hour', {
            detail: 'a winner needs variants that are sent at the same time; send either best_hour or winner',
          }),
        ]
      : []),
  ]
}
