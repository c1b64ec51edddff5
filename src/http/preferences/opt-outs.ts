import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { EVERYTHING } from '../../rules/topics.ts'
import { type ListedOptOut, listOptOuts, type OptOutMark } from '../../store/preferences/opt-out-list.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'

/** GET /api/v1/opt_outs, the newest first */
export async function listAllOptOuts({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(OPT_OUT_QUERY, query), parseMark)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const from = parseTimeBound('from', value.from)
  if (!from.ok) return refuse(from.rejection)
  const { brandId } = caller
  const wanted = { brandId, from: from.value, topic: value.topic ?? null, after, limit }
  // Indexes over functions serve the engine only (decision 0003); the statement names the brand in each table.
  const page = await database.asLookUp(null, async (tx) => listOptOuts(tx, wanted))
  const next = nextCursor(page, ({ since, key }) => `${since} ${key}`)
  const fields = { opt_outs: page.rows.map(renderOptOut), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

function parseMark(text: string): OptOutMark | null {
  const [, since = '', key = ''] = /^(\d{1,15}) ([ps] \d{1,19} .{1,100})$/su.exec(text) ?? []
  return since === '' || text.includes('\0') ? null : { since: Number(since), key }
}

const TOPIC_CHARS_MAX = 100

export const OPT_OUT_QUERY = Type.Object({
  ...PAGE_FIELDS,
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Opted out at or after this instant, as ISO 8601.' }),
  ),
  topic: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TOPIC_CHARS_MAX,
      description: `Only opt-outs of this topic; ${EVERYTHING} for those of everything.`,
    }),
  ),
})

function renderOptOut({ since, topic, userId, subscriptionId, platform }: ListedOptOut): object {
  return { at: instantOf(since), topic, user_id: userId, subscription_id: subscriptionId, platform }
}

export const OPT_OUT_VIEW = Type.Object({
  at: INSTANT,
  topic: Type.String({ description: `The name of the topic; ${EVERYTHING} is everything.` }),
  user_id: TEXT_OR_NULL,
  subscription_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The device that opted out; null when the person did, on all devices.',
  }),
  platform: Type.Union([...PLATFORM_NAMES.map((name) => Type.Literal(name)), Type.Null()]),
})
