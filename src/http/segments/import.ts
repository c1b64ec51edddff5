import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseFilter } from '../../domain/segments/filter.ts'
import { flawOf, isLonger } from '../../domain/values/text.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import { tagPeople } from '../../store/segments/lists.ts'
import { changeSegment, lockSegment, type Segment, type SegmentKey } from '../../store/segments/segments.ts'
import type { Deps } from '../deps.ts'
import { readMediaType } from '../edge/media-type.ts'
import { LIST_ANSWER, NDJSON, replyAsItGoes } from '../lists/answer.ts'
import { type CsvRecord, readCsv } from '../lists/csv.ts'
import { addBatch, EMPTY_REPORT, type ImportReport, type Refusal, refusalOf } from '../lists/import-report.ts'
import type { ListRow } from '../lists/row.ts'
import { type Reply, refuse } from '../reply.ts'
import type { StreamRequest } from '../request.ts'
import type { StreamRoute } from '../route.ts'
import { isObject } from '../schema/walk.ts'
import { findSegment, notFound } from './segments.ts'
import { measureSegment } from './size.ts'

/**
 * POST /api/v1/segments/{segment_id}/import: people who belong to a segment because a list says so. They carry a tag
 * that stands for the list, and the segment's filter takes in whoever carries it; so a list of any length is looked up,
 * merged, exported and erased like every tag, and the segment stays live.
 */
export async function importPeople(deps: Deps, request: StreamRequest): Promise<Reply> {
  const { type, isUtf8 } = readMediaType(String(request.headers['content-type'] ?? ''))
  if (!isUtf8 || type !== 'text/csv') return refuse({ faults: [fault('unsupported_list')] })
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const key = { brandId: request.caller.brandId, id: segment.id }
  const widened = await takeInList(deps, key)
  if (!widened.ok) return refuse(widened.rejection)
  return replyAsItGoes(deps, request, importRows(deps, key, readCsv(request.stream, bodyOf)))
}

function tagOf(id: bigint): string {
  return `segment:${id}`
}

/** Sees to it that the segment holds whoever carries the list's tag; what it held before stays in it. */
async function takeInList({ database, clock }: Deps, key: SegmentKey): Promise<Result<Segment | null>> {
  return database.asBrand(key.brandId, async (tx) => {
    const segment = await lockSegment(tx, key)
    if (segment === null) return accept(null)
    const list = { tag: tagOf(key.id) }
    if (hasList(segment.filter, list.tag)) return accept(segment)
    const filter = parseFilter({ any: [list, segment.filter] }, 'filter')
    if (!filter.ok) return filter
    const change = { name: null, filter: { filter: filter.value, size: segment.size ?? 0 }, now: clock.now() }
    return accept(await changeSegment(tx, key, change))
  })
}

function hasList(filter: unknown, tag: string): boolean {
  if (!isObject(filter)) return false
  const any: unknown = 'any' in filter ? filter.any : []
  const parts: readonly unknown[] = Array.isArray(any) ? [filter, ...any] : [filter]
  return parts.some((part) => isObject(part) && 'tag' in part && part.tag === tag)
}

/** The column `user_id`, or `userID`, which is the same to the reader of columns as `userid`. */
function bodyOf(record: CsvRecord): object {
  return { userId: (record['user_id'] ?? record['userid'] ?? '').trim() }
}

type Accepted = { readonly line: number; readonly userId: string }

async function* importRows(
  deps: Deps,
  key: SegmentKey,
  rows: AsyncIterable<ListRow>,
): AsyncGenerator<ImportReport> {
  let report = EMPTY_REPORT
  let accepted: Accepted[] = []
  let refusals: Refusal[] = []
  for await (const row of rows) {
    const read = userIdIn(row)
    if (read.ok) accepted.push({ line: row.line, userId: read.value })
    else refusals.push(refusalOf(row.line, read.rejection))
    if (accepted.length + refusals.length < IMPORT_LIMITS.batchRows) continue
    report = await saveBatch(deps, key, { accepted, refusals, report })
    accepted = []
    refusals = []
    yield report
  }
  report = await saveBatch(deps, key, { accepted, refusals, report })
  await measureSegment(deps, key)
  yield report
}

function userIdIn({ body }: ListRow): Result<string> {
  if (!body.ok) return body
  const { value } = body
  const userId = isObject(value) && 'userId' in value ? value.userId : ''
  if (typeof userId !== 'string' || userId === '') return reject(fault('field_missing', 'user_id'))
  const flaw = flawOf(userId)
  if (flaw !== null) return reject(fault('field_invalid', 'user_id', { detail: flaw }))
  const max = PROFILE_LIMITS.userIdCharsMax
  return isLonger(userId, max) ? reject(fault('field_too_long', 'user_id', { max })) : accept(userId)
}

type Batch = {
  readonly accepted: readonly Accepted[]
  readonly refusals: readonly Refusal[]
  readonly report: ImportReport
}

/** A name that stands twice in a batch counts twice, as it was asked. */
async function saveBatch(deps: Deps, { brandId, id }: SegmentKey, batch: Batch): Promise<ImportReport> {
  const userIds = batch.accepted.map(({ userId }) => userId)
  const listed =
    userIds.length === 0
      ? []
      : await deps.database.asBrand(brandId, async (tx) =>
          tagPeople(tx, { brandId, tag: tagOf(id), userIds, now: deps.clock.now() }),
        )
  const kinds = new Map(listed.map(({ userId, kind }) => [userId, kind]))
  const unknown = batch.accepted.flatMap(({ line, userId }) => {
    const kind = kinds.get(userId)
    if (kind === undefined) return [{ line, ...fault('profile_not_found', 'user_id') }]
    return kind === 'full'
      ? [{ line, ...fault('field_conflict', 'user_id', { detail: 'the person carries too many tags' }) }]
      : []
  })
  const count = (wanted: string): number =>
    batch.accepted.filter(({ userId }) => kinds.get(userId) === wanted).length
  return addBatch(batch.report, {
    imported: count('new'),
    updated: count('known'),
    refusals: [...batch.refusals, ...unknown],
    warnings: [],
  })
}

const ONE_SEGMENT = '/api/v1/segments/{segment_id}'

export const SEGMENT_IMPORT_ROUTE: StreamRoute = {
  method: 'POST',
  path: `${ONE_SEGMENT}/import`,
  group: 'Segments',
  scopes: ['segments'],
  summary: 'Puts a list of people into a segment',
  description:
    'Send CSV with a column user_id. Whoever is listed belongs to the segment beside those whom its filter finds: they ' +
    'are given the tag segment:{segment_id}, which the filter then takes in. Names that are not known are refused one ' +
    'by one. The reply is NDJSON: a line of progress for every batch, and the report as the last line.',
  body: 'stream',
  bodyTypes: ['text/csv'],
  bodyBytesMax: IMPORT_LIMITS.bytesMax,
  replyType: NDJSON,
  reply: LIST_ANSWER,
  refusals: ['segment_not_found', 'unsupported_list', 'malformed_csv', 'filter_invalid'],
  handler: importPeople,
}
