import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { flawOf, isLonger } from '../../domain/values/text.ts'
import { type CsvRecord, readCsv } from '../../intake/lists/csv.ts'
import type { ParsedRow } from '../../intake/lists/import.ts'
import { importPeople, includeListTag } from '../../intake/segments/import.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import type { Deps } from '../deps.ts'
import { readMediaType } from '../edge/media-type.ts'
import { replyAsItGoes } from '../lists/answer.ts'
import { type Reply, refuse } from '../reply.ts'
import type { StreamRequest } from '../request.ts'
import { findSegment, notFound } from './segments.ts'

/** POST /api/v1/segments/{segment_id}/import: people who belong to a segment because a list says so. */
export async function importIntoSegment(deps: Deps, request: StreamRequest): Promise<Reply> {
  const { type, isUtf8 } = readMediaType(String(request.headers['content-type'] ?? ''))
  if (!isUtf8 || type !== 'text/csv') return refuse({ faults: [fault('unsupported_list')] })
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const key = { brandId: request.caller.brandId, id: segment.id }
  const included = await includeListTag(deps, key, request)
  if (!included.ok) return refuse(included.rejection)
  const rows = readCsv(request.stream, bodyOfCsvRecord)
  return replyAsItGoes(deps, request, importPeople(deps, key, { rows, parse: parseUserId }))
}

/** The column is named `user_id` or `userID`; the CSV reader gives all column names in lower case. */
function bodyOfCsvRecord(record: CsvRecord): object {
  return { userId: (record['user_id'] ?? record['userid'] ?? '').trim() }
}

function parseUserId(body: unknown): Result<ParsedRow<string>> {
  const userId = isJsonObject(body) ? body['userId'] : ''
  if (typeof userId !== 'string' || userId === '') return reject(fault('field_missing', 'user_id'))
  const flaw = flawOf(userId)
  if (flaw !== null) return reject(fault('field_invalid', 'user_id', { detail: flaw }))
  const max = PROFILE_LIMITS.userIdCharsMax
  if (isLonger(userId, max)) return reject(fault('field_too_long', 'user_id', { max }))
  return accept({ value: userId, warnings: [] })
}
