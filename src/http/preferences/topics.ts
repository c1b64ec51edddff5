import { fault } from '../../domain/fault.ts'
import type { Rejection } from '../../domain/result.ts'
import type { Warning } from '../../domain/warning.ts'
import { TOPIC_LIMITS, TOPIC_NAME, TRANSACTIONAL } from '../../rules/topics.ts'
import {
  archiveTopic,
  changeTopic,
  createTopic,
  listTopics,
  lockTopicCount,
  type Topic,
  type TopicRef,
} from '../../store/preferences/topics.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody, parseQuery } from '../schema/schema.ts'
import { TOPIC_BODY, TOPIC_CHANGES, TOPIC_QUERY } from './body.ts'
import { RESERVED_TOPIC, renderTopic } from './view.ts'

/** POST /api/v1/topics */
export async function createOneTopic(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(TOPIC_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { name, title, description = '' } = value
  if (name === TRANSACTIONAL) return refuse(taken(name))

  const { brandId } = request.caller
  return replyOnce(deps, request, async (tx) => {
    const { topicsMax: max } = TOPIC_LIMITS
    const count = await lockTopicCount(tx, brandId)
    if (count >= max) return refuse({ faults: [fault('too_many_topics', null, { max })] })
    const topic = await createTopic(tx, { brandId, name, title, description, now: deps.clock.now() })
    return topic === null ? refuse(taken(name)) : replyWith(topic, warnings)
  })
}

/** GET /api/v1/topics */
export async function listAllTopics({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(TOPIC_QUERY, query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { brandId } = caller
  const isArchived = parsed.value.value.archived ?? false
  const stored = await database.asBrand(brandId, async (tx) => listTopics(tx, { brandId, isArchived }))
  const topics = [...stored.map(renderTopic), ...(isArchived ? [] : [RESERVED_TOPIC])]
  return replySuccess({ topics }, { processed: topics.length, warnings: parsed.value.warnings })
}

/** PATCH /api/v1/topics/{name} */
export async function changeOneTopic(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(TOPIC_CHANGES, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { title = null, description = null } = value
  const ref = topicRef(request)
  const topic = await deps.database.asCaller(request, async (tx) =>
    changeTopic(tx, ref, { title, description, now: deps.clock.now() }),
  )
  return topic === null ? refuse(notFound(ref)) : replyWith(topic, warnings)
}

/** POST /api/v1/topics/{name}/archive: saying it twice changes nothing. */
export async function archiveOneTopic(deps: Deps, request: TenantRequest): Promise<Reply> {
  const ref = topicRef(request)
  const topic = await deps.database.asCaller(request, async (tx) =>
    archiveTopic(tx, { ...ref, now: deps.clock.now() }),
  )
  return topic === null ? refuse(notFound(ref)) : replyWith(topic)
}

function replyWith(topic: Topic, warnings: readonly Warning[] = []): Reply {
  return replySuccess({ topic: renderTopic(topic) }, { warnings })
}

function topicRef(request: TenantRequest): TopicRef {
  return { brandId: request.caller.brandId, name: param(request, 'name') }
}

function taken(name: string): Rejection {
  return { faults: [fault('topic_exists', 'name', { name })] }
}

/** The name is quoted only when it can be one: an address may hold anything. */
function notFound({ name }: TopicRef): Rejection {
  const isName = new RegExp(TOPIC_NAME).test(name) && name.length <= TOPIC_LIMITS.nameCharsMax
  return { faults: [fault('topic_not_found', 'name', { name: isName ? name : 'of that name' })] }
}
