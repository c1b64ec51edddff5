import { LIVE_ERRORS } from './live.ts'
import { SERVER_ERRORS } from './server-errors.ts'
import { TEAM_ERRORS } from './team-errors.ts'
import { TEMPLATE_ERRORS } from './template-errors.ts'
import { VIRTUAL_ERRORS } from './virtual-devices.ts'

/**
 * Every refusal that Beckon can give: its stable code, its HTTP status and the sentence that the caller reads.
 * `{field}` and the other words in braces are filled in by `domain/fault.ts`; docs/errors.md is held to this table.
 */
export const ERRORS = {
  // The request as a whole
  malformed_request: { status: 400, message: 'The request is not valid HTTP: {detail}.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive. Send it again.' },
  headers_too_large: { status: 431, message: 'The headers may take at most {max} bytes in all.' },
  not_found: { status: 404, message: 'This path does not exist. See /docs for all paths.' },
  method_not_allowed: { status: 405, message: 'This path does not take {method}. It takes {allowed}.' },

  // The body as a whole
  malformed_json: { status: 400, message: 'The body is not valid JSON: {detail}.' },
  malformed_gzip: {
    status: 400,
    message: 'The body is not valid gzip. Send the whole file, or send it uncompressed.',
  },
  malformed_csv: { status: 400, message: 'The list is not valid CSV: {detail}.' },
  not_an_object: { status: 400, message: 'The body must be a JSON object.' },
  body_too_deep: { status: 400, message: 'The body nests deeper than {max} levels. Flatten it.' },
  body_too_complex: {
    status: 400,
    message: 'The body has more than {max} {parts}. Send it in several calls.',
  },
  object_too_wide: { status: 400, message: '{field} has more than {max} members. Leave some out.' },
  body_too_large: {
    status: 413,
    message: 'The body may take at most {max} bytes, before and after decompression.',
  },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json, in UTF-8.' },
  unsupported_list: { status: 415, message: 'Send the list as application/x-ndjson or text/csv, in UTF-8.' },
  unsupported_encoding: {
    status: 415,
    message: 'Send the body uncompressed, or with content-encoding: gzip.',
  },

  // A field of any body
  field_missing: { status: 400, message: '{field} is required.' },
  field_empty: { status: 400, message: '{field} is empty. Give it a value, or leave it out.' },
  field_type: { status: 400, message: '{field} must be {expected}.' },
  field_too_long: {
    status: 400,
    message: '{field} may have at most {max} {unit}; this one has {actual}.',
  },
  field_out_of_range: { status: 400, message: '{field} must be between {min} and {max}{unit}.' },
  field_invalid: { status: 400, message: '{field} is not valid: {detail}.' },
  field_conflict: { status: 400, message: '{field} cannot be used here: {detail}.' },

  // Entries and attributes of events and people
  // The contract fixes these two words, whatever is missing; `unprocessed` names the missing field (spec §7).
  parameter_missing: { status: 403, message: 'Parameter missing' },
  too_many_entries: {
    status: 400,
    message: '{field} may hold at most {max} entries; this one has {actual}. Send them in several calls.',
  },
  entry_too_large: {
    status: 400,
    message: 'An entry may take at most {max} bytes; this one takes {actual}.',
  },
  row_too_large: {
    status: 400,
    message: 'A row may take at most {max} bytes. Leave out columns that are not needed.',
  },
  too_many_attributes: {
    status: 400,
    message: '{field} may hold at most {max} attributes{type}; this one has {actual}.',
  },
  attribute_name_too_long: {
    status: 400,
    message: 'The name of {field} may have at most {max} characters; this one has {actual}.',
  },
  attribute_type: {
    status: 400,
    message: '{field} must be a String, Number, Boolean, Date, Object or Array of Objects.',
  },
  object_too_deep: { status: 400, message: '{field} nests deeper than {max} levels. Flatten it.' },

  unknown_field: {
    status: 400,
    message: 'Unknown field {field}. Did you mean {suggestion}? Nothing was sent.',
  },
  unknown_parameter: { status: 400, message: 'Unknown query parameter {field}. {known}' },

  // A notification: its target, its schedule and its text
  identifier_missing: {
    status: 400,
    message: 'The request does not say whom to notify. Send one of {fields}.',
  },
  identifiers_disagree: {
    status: 400,
    message:
      '{field} and the other identifiers name different subscribers. Send one of them, or identifiers of one subscriber.',
  },
  schedule_in_past: {
    status: 400,
    message: 'The scheduled time, {at}, is in the past. Choose a later time.',
  },
  schedule_too_far: {
    status: 400,
    message: 'The scheduled time, {at}, is more than {days} days ahead. Choose an earlier time.',
  },
  template_invalid: {
    status: 400,
    message: '{field} is not valid Liquid at line {line}, column {column}: {detail}.',
  },
  template_too_costly: {
    status: 400,
    message: '{field} takes too much work to render. Shorten its loops, or its texts.',
  },
  payload_too_large: {
    status: 400,
    message: 'The notification takes {actual} bytes on {platform}; the limit is {max}. Shorten it.',
  },

  // Documents: the filter of a segment, the definition of a journey or of a campaign
  filter_invalid: { status: 400, message: 'The filter is not valid at {field}: {detail}.' },
  journey_invalid: { status: 400, message: 'The journey is not valid at {field}: {detail}.' },
  campaign_invalid: { status: 400, message: 'The campaign is not valid at {field}: {detail}.' },

  topic_unknown: {
    status: 400,
    message: 'This brand has no topic {topic}. Create it with POST /api/v1/topics, or leave {field} out.',
  },

  // Keys, scopes and signed tokens
  unauthenticated: {
    status: 401,
    message: 'No valid API key. {remedy}',
  },
  scope_missing: {
    status: 403,
    message: 'The scope {scope} is missing. Use an API key, or a role, that has it.',
  },
  secret_key_in_page: {
    status: 403,
    message:
      'This is a secret key, and everybody who opens the page can read it. Revoke it now, and give the page a publishable key.',
  },
  origin_not_allowed: {
    status: 403,
    message:
      'Pages of the origin {origin} may not use this key. Add this exact origin to allowed_origins with PATCH /api/v1/brand.',
  },
  visitor_invalid: {
    status: 403,
    message: '{field} is not a visitor token of this brand. Get a new one from POST /api/v1/visitors.',
  },
  visitor_expired: { status: 403, message: '{field} has expired. Get one from POST /api/v1/visitors.' },
  user_unverified: {
    status: 403,
    message:
      '{field} is missing or does not match the userID, so the browser stays anonymous. Let your server compute it with the key of POST /api/v1/brand/identity-key.',
  },
  receipt_expired: { status: 400, message: '{field} has expired: its message is long ago. Discard it.' },
  receipt_invalid: {
    status: 400,
    message: '{field} is not a receipt token. Send the token unchanged, as it came in the message.',
  },

  // Things that do not exist
  subscriber_not_found: { status: 404, message: 'This brand has no subscriber with that id.' },
  no_live_subscription: {
    status: 404,
    message: 'This subscriber has no live {platform} subscription. Register one, or use another platform.',
  },
  subscription_not_found: { status: 404, message: 'This brand has no subscription with that id.' },
  notification_not_found: { status: 404, message: 'This brand has no notification with that id.' },
  profile_not_found: { status: 404, message: 'This brand has no profile with that identifier.' },
  merge_not_found: {
    status: 404,
    message: 'This brand has no merge with that id, or the merge is already undone.',
  },
  type_lock_not_found: {
    status: 404,
    message: 'No value of this attribute came yet, so it has no type lock. Give a type to lock it ahead.',
  },
  segment_not_found: { status: 404, message: 'This brand has no segment {id}.' },
  journey_not_found: { status: 404, message: 'This brand has no journey with that id.' },
  topic_not_found: { status: 404, message: 'This brand has no topic {name}.' },
  campaign_not_found: { status: 404, message: 'This brand has no campaign with that id.' },
  webhook_not_found: { status: 404, message: 'This brand has no webhook with that id.' },
  webhook_message_not_found: {
    status: 404,
    message: 'This webhook has no message with that id. Old messages are deleted.',
  },
  key_not_found: { status: 404, message: 'This brand has no API key with that id.' },
  channel_missing: {
    status: 404,
    message:
      'This brand has no credentials for {platform}, and no sandbox runs on this machine. Set the credentials first.',
  },
  sandbox_missing: { status: 404, message: 'No sandbox runs on this machine.' },

  // Things in a state, or a number, that does not allow the request
  notification_final: {
    status: 409,
    message: 'This notification is already {state}, so it cannot be cancelled.',
  },
  segment_exists: {
    status: 409,
    message: 'This brand already has a segment {id}. Change it with PATCH, or choose another id.',
  },
  topic_exists: {
    status: 409,
    message: 'This brand already has a topic {name}, perhaps an archived one. Choose another name.',
  },
  too_many_topics: { status: 409, message: 'A brand may have at most {max} topics, archived ones included.' },
  ...TEAM_ERRORS,
  ...TEMPLATE_ERRORS,
  ...VIRTUAL_ERRORS,
  journey_state: {
    status: 409,
    message: 'This journey is {state}, so it cannot become {wanted}. It may become {allowed}.',
  },
  campaign_state: {
    status: 409,
    message: 'This campaign is {state}, so it cannot be {wanted}.',
  },
  approval_own: {
    status: 403,
    message:
      'The key or member that asked for approval cannot approve. Use another key with the scope approve.',
  },
  campaign_version: {
    status: 409,
    message:
      'The campaign was changed since you read it: you gave version {given}, and it is at {version}. Read it again.',
  },
  too_many_campaigns: {
    status: 409,
    message: 'A brand may have at most {max} campaigns that are not archived. Archive one first.',
  },
  too_many_journeys: {
    status: 409,
    message: 'A brand may have at most {max} journeys that are not archived. Archive one first.',
  },
  too_many_webhooks: {
    status: 409,
    message: 'A brand may have at most {max} webhooks. Delete one first.',
  },
  too_many_sandbox_faults: {
    status: 409,
    message: 'The sandbox simulates at most {max} faults for a brand. DELETE /sandbox/faults ends them.',
  },
  merge_built_on: {
    status: 409,
    message: 'The surviving profile was merged again after this merge. Undo the later merge first.',
  },
  idempotency_running: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Ask again in a moment.',
  },
  idempotency_mismatch: {
    status: 422,
    message: 'This Idempotency-Key was used with another request. Use a new key for a new request.',
  },

  // Limits of load, and failures of Beckon itself
  rate_limited: {
    status: 429,
    message: 'More than {max} requests in {seconds} seconds. Wait as long as Retry-After says.',
  },
  budget_spent: {
    status: 429,
    message:
      'The pages of this network sent more than {max} {what} in an hour. Wait as long as Retry-After says.',
  },
  too_many_names: {
    status: 429,
    message:
      'Pages brought too many new names of events and attributes. Use a fixed set of names, and put what varies into values.',
  },
  ...LIVE_ERRORS,
  ...SERVER_ERRORS,
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

export type ErrorCode = keyof typeof ERRORS
