import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { Deps } from '../deps.ts'
import { readMediaType } from '../edge/media-type.ts'
import { LIST_ANSWER, NDJSON, replyAsItGoes } from '../lists/answer.ts'
import { readCsv } from '../lists/csv.ts'
import { readNdjson } from '../lists/ndjson.ts'
import type { ListRow } from '../lists/row.ts'
import { type Reply, refuse } from '../reply.ts'
import type { StreamRequest } from '../request.ts'
import type { StreamRoute } from '../route.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { bodyOfCsvRecord } from './csv.ts'
import { importSubscriptions } from './import.ts'

/** POST /api/v1/subscriptions/import: reads a list as it arrives, and answers as it goes. */
export async function importList(deps: Deps, request: StreamRequest): Promise<Reply> {
  const query = parseQuery(IMPORT_QUERY, request.query)
  if (!query.ok) return refuse(query.rejection)
  const rows = openRows(request)
  if (!rows.ok) return refuse(rows.rejection)

  const { database, clock, pushHosts } = deps
  const { brandId } = request.caller
  const { platform = null } = query.value.value
  const list = { database, clock, pushHosts, brandId, platform, rows: rows.value }
  return replyAsItGoes(deps, request, importSubscriptions(list))
}

const IMPORT_QUERY = Type.Object({
  platform: Type.Optional(
    Type.Enum([...PLATFORM_NAMES], { description: 'The platform of rows that name none.' }),
  ),
})

function openRows({ headers, stream }: StreamRequest): Result<AsyncIterable<ListRow>> {
  const { type, isUtf8 } = readMediaType(String(headers['content-type'] ?? ''))
  if (isUtf8 && type === 'text/csv') return accept(readCsv(stream, bodyOfCsvRecord))
  if (isUtf8 && NDJSON_TYPES.has(type)) return accept(readNdjson(stream))
  return reject(fault('unsupported_list'))
}

const NDJSON_TYPES = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl'])

export const SUBSCRIPTION_IMPORT_ROUTE: StreamRoute = {
  method: 'POST',
  path: '/api/v1/subscriptions/import',
  group: 'Subscriptions',
  scopes: ['subscriptions'],
  summary: 'Imports a list of devices',
  description:
    'Send NDJSON, one registration on each line, or CSV with the columns platform, token, endpoint, p256dh, auth, ' +
    'user_id, subscription_id, android_id, ios_ifv, tags (separated by semicolons), time_zone, language, browser, ' +
    'app_version and environment. The reply is NDJSON: a line of progress for every batch, and the report as the ' +
    'last line. Rows that cannot be are refused one by one; fields and columns that nobody knows are ignored and named. ' +
    'Importing a list twice changes nothing. A list brings ' +
    'back neither who unsubscribed nor an address that was found dead.',
  body: 'stream',
  bodyTypes: ['text/csv', 'application/x-ndjson'],
  bodyBytesMax: IMPORT_LIMITS.bytesMax,
  querySchema: IMPORT_QUERY,
  exampleQuery: { platform: 'android' },
  replyType: NDJSON,
  reply: LIST_ANSWER,
  refusals: ['unsupported_list', 'malformed_csv'],
  handler: importList,
}
