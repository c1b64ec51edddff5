import { PROFILE_LIMITS, VISITOR_LIMITS } from '../../rules/people.ts'
import { EVERYTHING, TOPIC_LIMITS, TOPIC_NAME, TRANSACTIONAL } from '../../rules/topics.ts'
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

const OPT_OUTS = Type.Array(Type.String({ maxLength: TOPIC_LIMITS.nameCharsMax }), {
  maxItems: TOPIC_LIMITS.topicsMax + 1,
  description: `The whole list of topics to be left out of; \`${EVERYTHING}\` is everything but ${TRANSACTIONAL}. An empty list takes all opt-outs back.`,
})

const NAME_FIELD = Type.Optional(Type.String({ maxLength: PROFILE_LIMITS.emailCharsMax }))

const NAMES = { userID: NAME_FIELD, email: NAME_FIELD, mobile: NAME_FIELD }

export const PERSON_BODY = Type.Object(NAMES)

export const PERSON_PREFERENCES_BODY = Type.Object({ ...NAMES, opt_outs: OPT_OUTS })

export const DEVICE_PREFERENCES_BODY = Type.Object({ opt_outs: OPT_OUTS })

export const VISITOR_PREFERENCES_BODY = Type.Object({
  visitor: Type.String({
    maxLength: VISITOR_LIMITS.tokenCharsMax,
    description: 'The token that POST /api/v1/visitors gave this browser.',
  }),
  opt_outs: Type.Optional(OPT_OUTS),
})
