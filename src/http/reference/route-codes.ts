import type { ErrorCode } from '../../rules/errors.ts'
import type { Route } from '../route.ts'

/** Every refusal a row can give: its own, and those of the guards it stands behind. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const codes = GUARDS.filter(({ guards }) => guards(route)).flatMap((row) => row.codes)
  return [...new Set([...(route.refusals ?? []), ...codes])]
}

/** Whether no key can call the row: `members` is a scope of roles alone. */
export function isForTeam({ scopes, isForMembers }: Route): boolean {
  return isForMembers === true || scopes?.every((scope) => scope === 'members') === true
}

type Guard = { readonly guards: (route: Route) => boolean; readonly codes: readonly ErrorCode[] }

const GUARDS: readonly Guard[] = [
  { guards: ({ scopes }) => scopes !== null, codes: ['unauthenticated', 'brand_deleting', 'scope_missing'] },
  { guards: ({ scopes, cors }) => scopes !== null && cors === undefined, codes: ['foreign_origin'] },
  { guards: ({ needsProof }) => needsProof === true, codes: ['proof_needed'] },
  { guards: ({ method, scopes }) => method !== 'GET' && scopes !== null, codes: ['unknown_parameter'] },
  { guards: ({ rateLimit }) => rateLimit !== undefined, codes: ['rate_limited'] },
  {
    guards: ({ body }) => body === 'json',
    codes: [
      'malformed_json',
      'body_too_deep',
      'body_too_complex',
      'object_too_wide',
      'not_an_object',
      'unsupported_media_type',
    ],
  },
  {
    guards: ({ body }) => body !== 'none',
    codes: ['malformed_gzip', 'body_too_large', 'unsupported_encoding', 'request_timeout'],
  },
  {
    guards: ({ bodySchema, querySchema }) => bodySchema !== undefined || querySchema !== undefined,
    codes: [
      'field_missing',
      'field_empty',
      'field_type',
      'field_too_long',
      'field_out_of_range',
      'field_invalid',
      'field_conflict',
    ],
  },
  {
    guards: ({ isIdempotent }) => isIdempotent === true,
    codes: ['idempotency_running', 'idempotency_mismatch'],
  },
  { guards: ({ lane }) => lane === 'reads', codes: ['takes_too_long'] },
  { guards: ({ lane }) => lane !== undefined, codes: ['too_many_old_events'] },
  { guards: ({ isExempt }) => isExempt !== true, codes: ['overloaded', 'database_away'] },
  {
    guards: ({ isExempt, method, isRead }) => isExempt !== true && method !== 'GET' && isRead !== true,
    codes: ['outcome_unknown'],
  },
  { guards: () => true, codes: ['internal'] },
]
