import { estimateMembers, prepareFilter } from '../../intake/segments/size.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { countMembers, listMembers, type SegmentQuery, totalOf } from '../../store/segments/members.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { Type } from '../schema/schema.ts'
import { renderSubscription, SUBSCRIPTION_VIEW } from '../subscriptions/view.ts'
import { parseSegmentBody, SEGMENT_RULES } from './body.ts'
import { nameWarnings } from './warnings.ts'

/** POST /api/v1/segments/preview: how many a filter finds, and a few of them, before anything is saved. */
export async function previewSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSegmentBody(SEGMENT_RULES.preview, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { filter: written, isExact, warnings } = parsed.value
  if (written === null) throw new Error('a preview was accepted without a filter')

  const { brandId } = request.caller
  const filter = await prepareFilter(deps, { brandId, filter: written, self: null })
  if (!filter.ok) return refuse(filter.rejection)
  const query = { brandId, filter: filter.value, now: deps.clock.now() }
  const { counts, margin } = isExact
    ? { counts: await countMembers(deps.database.reader, query), margin: 0 }
    : await estimateMembers(deps, query)
  const count = totalOf(counts)
  const sample = await sampleOf(deps, query, count)
  const platforms = Object.fromEntries(counts.map((row) => [row.platform, row.count]))
  const fields = { count, margin, platforms, sample: sample.map(renderSubscription) }
  const unused = await nameWarnings(deps, brandId, written)
  return replySuccess(fields, { warnings: [...warnings, ...unused] })
}

const SAMPLE_SIZE = 10
const COMMON_SIZE = 1_000

/** Among many, the first few are soon met; among few, they are best looked up from the filter's own end. */
async function sampleOf({ database }: Deps, query: SegmentQuery, count: number) {
  if (count === 0) return []
  const reach = count >= COMMON_SIZE ? 'few' : 'everybody'
  const page = { ...query, afterId: 0n, limit: SAMPLE_SIZE, reach } as const
  const { rows } = await database.asEngine(async (tx) => listMembers(tx, page))
  return rows
}

export const PREVIEW_VIEW = Type.Object({
  count: Type.Integer({ description: 'The number of live subscriptions.' }),
  margin: Type.Integer({
    description: 'How far `count` may be off, in 19 of 20 cases; 0 if everybody was counted.',
  }),
  platforms: Type.Object(
    Object.fromEntries(PLATFORM_NAMES.map((name) => [name, Type.Optional(Type.Integer())])),
    { description: '`count`, platform by platform.' },
  ),
  sample: Type.Array(SUBSCRIPTION_VIEW, { description: 'The first ten of them.' }),
})
