import { encodeJson } from '../../domain/values/json.ts'
import { EMPTY_REPORT, type ImportReport } from '../../intake/lists/import.ts'
import type { Deps } from '../deps.ts'
import { replyFailure } from '../edge/failure.ts'
import { type Reply, replySuccess } from '../reply.ts'
import type { StreamRequest } from '../request.ts'
import { Type } from '../schema/schema.ts'
import { TEXT_OR_NULL } from '../schema/view.ts'

/**
 * Answers an import as it goes, one JSON object on each line. The status is sent before the list is read, so the last
 * line is the reply proper.
 */
export function replyAsItGoes(
  deps: Deps,
  request: StreamRequest,
  reports: AsyncIterable<ImportReport>,
): Reply {
  return { status: 200, body: linesOf(deps, request, reports), headers: { 'content-type': NDJSON } }
}

export const NDJSON = 'application/x-ndjson; charset=utf-8'

async function* linesOf(
  deps: Deps,
  request: StreamRequest,
  reports: AsyncIterable<ImportReport>,
): AsyncGenerator<string> {
  let report = EMPTY_REPORT
  try {
    for await (const next of reports) {
      report = next
      const { rows, imported, updated, refused } = report
      yield lineOf({ progress: { rows, imported, updated, refused } })
    }
    yield lastLine(replySuccess({ report }, { processed: storedIn(report) }), { request, report })
  } catch (cause) {
    // The reply has begun, so the error handler cannot change it: the error becomes the last line of the stream.
    yield lastLine(replyFailure(deps, request, cause), { request, report })
  }
}

/** The error reply, with the counts of the rows that were stored before the error. These rows stay. */
function lastLine(
  { body }: Reply,
  { request, report }: { readonly request: StreamRequest; readonly report: ImportReport },
): string {
  if (typeof body !== 'object' || body === null) return ''
  return lineOf({ ...body, processed: storedIn(report), request_id: request.id, report })
}

function storedIn({ imported, updated }: ImportReport): number {
  return imported + updated
}

function lineOf(value: object): string {
  return `${encodeJson(value)}\n`
}

const COUNTS = {
  rows: Type.Integer(),
  imported: Type.Integer(),
  updated: Type.Integer(),
  refused: Type.Integer(),
}

/** The fields of one line of the reply. */
export const LIST_ANSWER = Type.Object({
  progress: Type.Optional(Type.Object(COUNTS)),
  report: Type.Optional(
    Type.Object({
      ...COUNTS,
      refusals: Type.Array(
        Type.Object({
          line: Type.Integer(),
          field: TEXT_OR_NULL,
          code: Type.String(),
          message: Type.String(),
        }),
      ),
      warnings: Type.Array(
        Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }),
      ),
    }),
  ),
})
