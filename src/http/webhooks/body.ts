import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import { Type } from '../schema/schema.ts'
import { EVENT_TYPE_LIST } from './view.ts'

const OPTIONS = {
  description: Type.Optional(Type.String({ maxLength: WEBHOOK_RULES.descriptionCharsMax })),
  batch_max: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: WEBHOOK_RULES.batchMax,
      description: 'The most events in one call. Above 1 the body is an array of events.',
    }),
  ),
}

const URL_FIELD = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_RULES.urlCharsMax,
  description: 'The address to call, with https.',
})

export const WEBHOOK_DRAFT = Type.Object({ url: URL_FIELD, event_types: EVENT_TYPE_LIST, ...OPTIONS })

export const WEBHOOK_CHANGE = Type.Object({
  url: Type.Optional(URL_FIELD),
  event_types: Type.Optional(EVENT_TYPE_LIST),
  ...OPTIONS,
  enabled: Type.Optional(
    Type.Boolean({ description: 'True enables the endpoint again and sends the waiting messages.' }),
  ),
})

export const WEBHOOK_ROTATION = Type.Object({
  overlap_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: WEBHOOK_RULES.secretOverlapHours,
      description: 'How long the old secrets also sign.',
    }),
  ),
})
