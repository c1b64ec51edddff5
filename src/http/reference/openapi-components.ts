import { LIMITS } from '../../rules/limits.ts'
import { Type } from '../schema/schema.ts'

const ENVELOPE = {
  processed: Type.Integer({ description: 'How many things were processed; 0 on failure.' }),
  status_code: Type.String({ description: 'The HTTP status, as a string.' }),
}
const REQUEST_ID = Type.String({ description: 'Ours, for the log. Also in the header x-request-id.' })

const WARNING = Type.Object(
  { field: Type.String(), code: Type.String(), message: Type.String() },
  { description: 'Something in the request that had no effect, such as an unknown field.' },
)

const FAULT = Type.Object({
  field: Type.Union([Type.String(), Type.Null()], { description: 'Where, if it is about one field.' }),
  code: Type.String(),
  message: Type.String(),
})

/** What every endpoint of the OpenAPI document refers to. */
export const COMPONENTS = {
  schemas: {
    Success: Type.Object({
      message: Type.String(),
      ...ENVELOPE,
      request_id: Type.Optional(REQUEST_ID),
      warnings: Type.Optional(Type.Array(WARNING)),
    }),
    Failure: Type.Object({
      message: Type.String({ description: 'A sentence for people, about the first error.' }),
      ...ENVELOPE,
      request_id: REQUEST_ID,
      code: Type.String({ description: 'Stable, for programs: the code of the first error.' }),
      errors: Type.Array(FAULT, { description: 'Everything that was found.' }),
      unprocessed: Type.Optional(
        Type.Array(Type.Object({ index: Type.Integer(), ...FAULT.properties }), {
          description: 'Where a call takes entries: each of them, with what is wrong with it.',
        }),
      ),
    }),
  },
  securitySchemes: {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Together with x-brand-id.' },
    brandId: {
      type: 'apiKey',
      in: 'header',
      name: 'x-brand-id',
      description: 'The brand the key belongs to.',
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'The API key alone; it knows its brand.' },
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: `The same key with the same request gives the stored reply again for ${LIMITS.idempotencyHours} hours.`,
      schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharsMax },
    },
  },
  headers: {
    RequestId: { description: 'Quote it when you ask for help.', schema: { type: 'string', format: 'uuid' } },
    RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
    RateLimit: {
      description: 'What is left (r) and when the next place is free, in seconds (t).',
      schema: { type: 'string', examples: ['"push";r=499;t=60'] },
    },
    RateLimitPolicy: {
      description: 'How many requests (q) in how many seconds (w).',
      schema: { type: 'string', examples: ['"push";q=500;w=60'] },
    },
  },
} as const
