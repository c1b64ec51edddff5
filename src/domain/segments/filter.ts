import { SEGMENT_DOCUMENTS } from '../../rules/segments.ts'
import { accept, type Result, reject } from '../result.ts'
import { fits } from '../values/document.ts'
import { type DocumentReading, startReading } from '../values/document-reading.ts'
import { isJsonObject } from '../values/json.ts'
import type { Path } from '../values/path.ts'
import { conditionOf } from './conditions.ts'
import type { WrittenFilter } from './segment.ts'

/** A filter in the form it is written and stored, or the path of every node that cannot be: `filter.all[1].tag`. */
export function parseFilter(
  value: unknown,
  path: Path,
  { isJudged }: Pick<DocumentReading, 'isJudged'> = { isJudged: true },
): Result<WrittenFilter> {
  const reading = startReading(SEGMENT_DOCUMENTS, { kind: 'filter', isJudged })
  if (fits(reading, { type: 'named', name: 'SegmentFilter' }, { path, value }) && isJsonObject(value)) {
    return accept(conditionOf(value))
  }
  const [first, ...others] = reading.faults
  if (first === undefined) throw new Error('a filter was refused without a fault')
  return reject(first, ...others)
}
