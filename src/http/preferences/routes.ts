import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { TOPIC_BODY, TOPIC_CHANGES, TOPIC_QUERY } from './body.ts'
import { archiveOneTopic, changeOneTopic, createOneTopic, listAllTopics } from './topics.ts'
import { TOPIC_VIEW } from './view.ts'

const FACTS = { group: 'Topics', scopes: ['brand'] } as const
const PATH = '/api/v1/topics'
const ONE = Type.Object({ topic: TOPIC_VIEW })

export const TOPIC_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    method: 'POST',
    path: PATH,
    summary: 'Create a topic',
    description:
      'A topic is a kind of messages, such as offers, that a person can opt out of. A push names it in `topic`.',
    body: 'json',
    bodySchema: TOPIC_BODY,
    reply: ONE,
    example: {
      name: 'offers',
      title: 'Offers',
      description: 'Discounts and new goods, once a week at most.',
    },
    refusals: ['topic_exists', 'too_many_topics'],
    isIdempotent: true,
    handler: createOneTopic,
  },
  {
    ...FACTS,
    scopes: ['brand', 'push', 'profiles', 'journeys'],
    method: 'GET',
    path: PATH,
    summary: 'List topics',
    description: 'All topics of the brand by name, and transactional, which every brand has.',
    body: 'none',
    querySchema: TOPIC_QUERY,
    reply: Type.Object({ topics: Type.Array(TOPIC_VIEW) }),
    handler: listAllTopics,
  },
  {
    ...FACTS,
    method: 'PATCH',
    path: `${PATH}/{name}`,
    summary: 'Change a topic',
    description: 'Only the given fields change. The name stays, because opt-outs refer to it.',
    body: 'json',
    bodySchema: TOPIC_CHANGES,
    reply: ONE,
    example: { title: 'Offers and news' },
    refusals: ['topic_not_found'],
    handler: changeOneTopic,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{name}/archive`,
    summary: 'Archive a topic',
    description:
      'New pushes and journeys with it are refused. Pushes that were accepted before are still sent, and opt-outs hold.',
    body: 'none',
    reply: ONE,
    refusals: ['topic_not_found'],
    handler: archiveOneTopic,
  },
]
