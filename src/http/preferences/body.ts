import { TOPIC_LIMITS, TOPIC_NAME } from '../../rules/topics.ts'
import { ARCHIVED_FIELD } from '../lists/page.ts'
import { Type } from '../schema/schema.ts'

const NAME = Type.String({
  pattern: TOPIC_NAME,
  maxLength: TOPIC_LIMITS.nameCharsMax,
  description:
    'The name of the topic in calls: lower-case letters and digits, with single dashes or underscores between them.',
})
const TITLE = Type.String({
  minLength: 1,
  maxLength: TOPIC_LIMITS.titleCharsMax,
  description: 'The name of the topic for people.',
})
const DESCRIPTION = Type.String({
  maxLength: TOPIC_LIMITS.descriptionCharsMax,
  description: 'A sentence for people about the messages of this topic.',
})

export const TOPIC_BODY = Type.Object({
  name: NAME,
  title: TITLE,
  description: Type.Optional(DESCRIPTION),
})

export const TOPIC_CHANGES = Type.Object({
  title: Type.Optional(TITLE),
  description: Type.Optional(DESCRIPTION),
})

export const TOPIC_QUERY = Type.Object(ARCHIVED_FIELD)
