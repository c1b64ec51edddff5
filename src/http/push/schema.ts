import { bodySchema, type JsonSchema } from '../fields/schema.ts'
import { identifierNames, type PushAddress, pushRules } from './field-rules.ts'

/** The JSON Schema of one of the nine bodies; where one of several identifiers is needed, it says so. */
export function pushBodySchema(address: PushAddress): JsonSchema {
  const schema = bodySchema(pushRules(address))
  const identifiers = identifierNames(address)
  if (identifiers.length === 0) return schema
  return { ...schema, anyOf: identifiers.map((name) => ({ required: [name] })) }
}
