import type { FieldRow } from '../../rules/fields.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import {
  SUBSCRIPTION_FIELDS,
  type SubscriptionFieldRow,
  TAG_CHANGE_FIELDS,
  WEB_KEY_FIELDS,
  WEB_SUBSCRIPTION_FIELDS,
} from '../../rules/subscriptions.ts'
import { type FieldRule, fieldRules } from '../fields/fields.ts'
import { bodySchema, type FieldsSchema } from '../fields/schema.ts'
import { registrationRules } from './body.ts'

/** The body that registers a device, one form for each platform. */
export function registrationSchema(): FieldsSchema {
  return { oneOf: PLATFORM_NAMES.map(platformSchema) }
}

/** The body that changes one: facts, the person and the tags. Null takes a value away. */
export function subscriptionChangeSchema(): FieldsSchema {
  const rows: readonly SubscriptionFieldRow[] = SUBSCRIPTION_FIELDS
  const changeable = rows.filter(({ name, isFact }) => name === 'user_id' || isFact === true)
  const fields = Object.entries(propertiesOf(bodySchema(fieldRules(changeable.map(optional)))))
  const tags = bodySchema(fieldRules(TAG_CHANGE_FIELDS.map(optional)))
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(fields.map(([name, schema]) => [name, { anyOf: [schema, { type: 'null' }] }])),
      tags: {
        description: 'A list replaces all tags; an object sets them, or adds and removes some.',
        anyOf: [propertiesOf(tags)['set'], tags],
      },
    },
  }
}

function platformSchema(platform: Platform): FieldsSchema {
  const schema = bodySchema(registrationRules(platform))
  const properties = {
    ...propertiesOf(schema),
    platform: { const: platform },
    ...(platform === 'web' ? { subscription: pushSubscriptionSchema() } : {}),
  }
  return { title: platform, ...schema, properties }
}

/** The object that `PushSubscription.toJSON` gives in a browser. */
function pushSubscriptionSchema(): FieldsSchema {
  const schema = bodySchema(fieldRules(WEB_SUBSCRIPTION_FIELDS.map(required)))
  const keys = bodySchema(fieldRules(WEB_KEY_FIELDS.map(required)))
  return { ...schema, properties: { ...propertiesOf(schema), keys } }
}

function propertiesOf({ properties }: FieldsSchema): FieldsSchema {
  return typeof properties === 'object' && properties !== null ? { ...properties } : {}
}

function optional(row: FieldRow): FieldRule {
  return { ...row, use: 'optional' }
}

function required(row: FieldRow): FieldRule {
  return { ...row, use: 'required' }
}
