import { fault } from '../../domain/fault.ts'
import { importSubscriptions } from '../../intake/subscriptions/import.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { Deps } from '../deps.ts'
import { readMediaType } from '../edge/media-type.ts'
import { replyAsItGoes } from '../lists/answer.ts'
import { type Reply, refuse } from '../reply.ts'
import type { StreamRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { openSubscriptionList, type SubscriptionList } from './list.ts'

/** POST /api/v1/subscriptions/import: reads a list as it arrives, and answers as it goes. */
export async function importDevices(deps: Deps, request: StreamRequest): Promise<Reply> {
  const query = parseQuery(IMPORT_QUERY, request.query)
  if (!query.ok) return refuse(query.rejection)
  const format = formatOf(request)
  if (format === null) return refuse({ faults: [fault('unsupported_list')] })

  const { database, clock } = deps
  const pushHosts = await deps.loadPushHosts()
  const { brandId } = request.caller
  const { platform = null } = query.value.value
  const list = openSubscriptionList({ bytes: request.stream, format, platform, pushHosts })
  return replyAsItGoes(deps, request, importSubscriptions({ database, clock, brandId, ...list }))
}

export const IMPORT_QUERY = Type.Object({
  platform: Type.Optional(
    Type.Enum([...PLATFORM_NAMES], { description: 'The platform of rows without a platform.' }),
  ),
})

function formatOf({ headers }: StreamRequest): SubscriptionList['format'] | null {
  const { type, isUtf8 } = readMediaType(String(headers['content-type'] ?? ''))
  if (isUtf8 && type === 'text/csv') return 'csv'
  return isUtf8 && NDJSON_TYPES.has(type) ? 'ndjson' : null
}

const NDJSON_TYPES = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl'])
