import { optOutOf } from '../../domain/preferences/opt-outs.ts'
import type { Preferences } from '../../intake/preferences/preferences.ts'
import { EVERYTHING, TRANSACTIONAL, TRANSACTIONAL_TOPIC } from '../../rules/topics.ts'
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

/** The preferences of a person or a device. `opt_outs` is the list as a change takes it. */
export function renderPreferences({ topics, optOuts }: Preferences): object {
  const shown = [
    ...topics.map(({ name, title, description }) => ({ name, title, description })),
    RESERVED_TOPIC,
  ]
  return {
    opt_outs: Object.keys(optOuts).filter(
      (name) => name === EVERYTHING || topics.some((topic) => topic.name === name),
    ),
    topics: shown.map(({ name, title, description }) => {
      const optOut = optOutOf(optOuts, name)
      const isReserved = name === TRANSACTIONAL
      return {
        name,
        title,
        description,
        is_reserved: isReserved,
        is_on: optOut === null,
        opted_out_at: optOut?.since ?? null,
      }
    }),
  }
}

export const PREFERENCES_VIEW = Type.Object({
  preferences: Type.Object({
    opt_outs: Type.Array(Type.String(), {
      description: `The topics that were opted out of; \`${EVERYTHING}\` is everything but ${TRANSACTIONAL}.`,
    }),
    topics: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.String(),
        description: Type.String(),
        is_reserved: Type.Boolean(),
        is_on: Type.Boolean({ description: 'Whether messages of this topic are sent.' }),
        opted_out_at: INSTANT_OR_NULL,
      }),
    ),
  }),
})
