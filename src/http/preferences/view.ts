import { TRANSACTIONAL, TRANSACTIONAL_TOPIC } from '../../rules/topics.ts'
import type { Topic } from '../../store/preferences/topics.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT_OR_NULL, instantOf, instantOrNull } from '../schema/view.ts'

export const TOPIC_VIEW = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  is_reserved: Type.Boolean({
    description: `True for ${TRANSACTIONAL}, which every brand has and nobody can opt out of.`,
  }),
  created_at: INSTANT_OR_NULL,
  updated_at: INSTANT_OR_NULL,
  archived_at: INSTANT_OR_NULL,
})

export const RESERVED_TOPIC = {
  name: TRANSACTIONAL,
  ...TRANSACTIONAL_TOPIC,
  is_reserved: true,
  created_at: null,
  updated_at: null,
  archived_at: null,
}

export function renderTopic(topic: Topic): object {
  return {
    name: topic.name,
    title: topic.title,
    description: topic.description,
    is_reserved: false,
    created_at: instantOf(topic.createdAt),
    updated_at: instantOf(topic.updatedAt),
    archived_at: instantOrNull(topic.archivedAt),
  }
}
