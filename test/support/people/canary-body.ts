import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import { ROUTES } from '../../../src/http/routes.ts'

/** The text that is planted wherever a text may stand. Its bytes, in hex, are looked for too. */
export const CANARY = 'zzcanary'
/** The text in names of events and attributes, which belong to the brand's schema and outlive a person. */
export const NAME_CANARY = 'zzname'

/** Fields that take no free text, or that must agree with another call; null leaves the field out. */
const VALUES: Readonly<Record<string, unknown>> = {
  userID: `${CANARY}-u`,
  user_id: `${CANARY}-u`,
  email: `${CANARY}@x.example`,
  mobile: '+4915112345678',
  event_name: `${NAME_CANARY} event`,
  event_time: null,
  ltv: '7700.112233',
  ip_address: '77.0.112.33',
  notification_id: 770_011_223_344,
  tag: CANARY,
  topic: 'transactional',
  tags: [CANARY],
  language: 'de',
  time_zone: 'Europe/Berlin',
  time: null,
  schedule_date: null,
  schedule_time: null,
  'user_id/subscription_id': null,
  attributes: { [`${NAME_CANARY}_text`]: CANARY, [`${NAME_CANARY}_list`]: [{ a: CANARY }] },
  user_attributes: { [`${NAME_CANARY}_text`]: CANARY },
  user_params: { [`${NAME_CANARY}_text`]: CANARY },
  data: { [CANARY]: CANARY },
}

/** Everything that a canary can be recognised by, beside what the test adds. */
export const MARKS: readonly string[] = [
  CANARY,
  Buffer.from(CANARY).toString('hex'),
  '4915112345678',
  '7700.112233',
  '77.0.112.33',
  '770011223344',
]

/**
 * A body for a row of the route table with a canary in every field that may hold one, made from the schema of the row.
 * A field that is new in the schema is planted by itself.
 */
export function canaryBody(address: string, change: JsonObject = {}): JsonObject {
  const route = ROUTES.find(({ method, path }) => `${method} ${path}` === address)
  const body = plant(route?.bodySchema)
  return Object.fromEntries(
    Object.entries({ ...(isJsonObject(body) ? body : {}), ...change }).filter(([, value]) => value !== null),
  )
}

/** The first entry of a body that takes a list of entries. */
export function canaryEntry(address: string, change: JsonObject = {}): JsonObject {
  const { nv } = canaryBody(address)
  const entry: unknown = Array.isArray(nv) ? nv[0] : nv
  return { ...(isJsonObject(entry) ? entry : {}), ...change }
}

function plant(schema: unknown): unknown {
  if (!isJsonObject(schema)) return null
  const { type, properties, items, anyOf, oneOf, enum: words, const: only, format, pattern } = schema
  if (only !== undefined) return only
  if (Array.isArray(words)) return words[0]
  if (isJsonObject(properties)) return plantFields(properties)
  const choices: unknown = anyOf ?? oneOf
  if (type === undefined && Array.isArray(choices)) return plant(choices[0])
  if (type === 'array') return [plant(items)]
  if (type !== 'string') return null
  return format === 'uri' || String(pattern).includes('https') ? `https://${CANARY}.example/x` : CANARY
}

function plantFields(properties: JsonObject): JsonObject {
  const fields = Object.entries(properties).map(([name, part]): [string, unknown] => [
    name,
    name in VALUES ? VALUES[name] : plant(part),
  ])
  return Object.fromEntries(fields.filter(([, value]) => value !== null))
}
