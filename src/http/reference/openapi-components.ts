import { LIMITS } from '../../rules/limits.ts'
import { SEGMENT_DOCUMENTS } from '../../rules/segments.ts'
import { CAMPAIGN_DOCUMENT_SCHEMAS } from '../campaigns/schema.ts'
import { JOURNEY_DOCUMENT_SCHEMAS } from '../journeys/schema.ts'
import { type DocumentSchema, documentSchemas } from '../schema/document.ts'
import { Type } from '../schema/schema.ts'

const ENVELOPE = {
  processed: Type.Integer({ description: 'The number of processed entries; 0 on failure.' }),
  status_code: Type.String({ description: 'The HTTP status, as a string.' }),
}
const REQUEST_ID = Type.String({
  description: 'The id of the request in the log; also in the header x-request-id.',
})

const WARNING = Type.Object(
  { field: Type.String(), code: Type.String(), message: Type.String() },
  { description: 'Something in the request that had no effect, such as an unknown field.' },
)

const FAULT = Type.Object({
  field: Type.Union([Type.String(), Type.Null()], { description: 'The field, if the error is about one.' }),
  code: Type.String(),
  message: Type.String(),
})

/** The documents that callers write, by name. */
export const DOCUMENT_SCHEMAS: Readonly<Record<string, DocumentSchema>> = {
  ...documentSchemas(SEGMENT_DOCUMENTS),
  ...JOURNEY_DOCUMENT_SCHEMAS,
  ...CAMPAIGN_DOCUMENT_SCHEMAS,
}

/** The schemas and headers that every endpoint of the OpenAPI document refers to. */
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
      code: Type.String({ description: 'The stable code of the first error, for programs.' }),
      errors: Type.Array(FAULT, { description: 'All errors that were found.' }),
      unprocessed: Type.Optional(
        Type.Array(Type.Object({ index: Type.Integer(), ...FAULT.properties }), {
          description: 'In calls with entries: each refused entry, with its error.',
        }),
      ),
    }),
    ...DOCUMENT_SCHEMAS,
  },
  securitySchemes: {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'Together with x-brand-id.' },
    brandId: {
      type: 'apiKey',
      in: 'header',
      name: 'x-brand-id',
      description: 'The brand the key belongs to.',
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'The API key alone; it names its brand.' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'beckon.session_token',
      description: 'The session of a member, sent by a page of this Beckon. See docs/team.md.',
    },
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
      description: 'The remaining requests (r), and the seconds until the next one is free (t).',
      schema: { type: 'string', examples: ['"push";r=499;t=60'] },
    },
    RateLimitPolicy: {
      description: 'The number of requests (q) in a number of seconds (w).',
      schema: { type: 'string', examples: ['"push";q=500;w=60'] },
    },
  },
} as const
