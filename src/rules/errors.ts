/**
 * Every refusal Beckon can give: its stable code, its HTTP status and the sentence the caller reads.
 * `{field}` and the other words in braces are filled in by `domain/fault.ts`; docs/errors.md is held to this table.
 */
export const ERRORS = {
  malformed_json: { status: 400, message: 'The body is not valid JSON: {detail}.' },
  malformed_gzip: { status: 400, message: 'The body is not valid gzip. Send it whole, or send it plain.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP: {detail}.' },
  body_too_deep: { status: 400, message: 'The body nests deeper than {max} levels. Flatten it.' },
  body_too_complex: {
    status: 400,
    message: 'The body has more than {max} {parts}. Send it in several calls.',
  },
  not_an_object: { status: 400, message: 'The body must be a JSON object.' },
  field_missing: { status: 400, message: '{field} is required.' },
  field_empty: { status: 400, message: '{field} is empty. Give it a value, or leave it out.' },
  field_type: { status: 400, message: '{field} must be {expected}.' },
  field_too_long: {
    status: 400,
    message: '{field} may be at most {max} {unit} long; this one has {actual}.',
  },
  field_out_of_range: { status: 400, message: '{field} must be between {min} and {max}.' },
  field_invalid: { status: 400, message: '{field} is not valid: {detail}.' },
  field_conflict: { status: 400, message: '{field} cannot be used here: {detail}.' },
  identifier_missing: {
    status: 400,
    message: 'Send one of {fields}: without it nobody knows who or what is meant.',
  },
  identifiers_disagree: {
    status: 400,
    message:
      '{field} and the other identifiers name different subscribers. Send one of them, or make them agree.',
  },
  schedule_in_past: { status: 400, message: 'The schedule lies in the past, at {at}. Choose a later one.' },
  schedule_too_far: {
    status: 400,
    message: 'The schedule lies more than {days} days ahead, at {at}. Choose an earlier one.',
  },
  template_invalid: {
    status: 400,
    message: '{field} is not valid Liquid at line {line}, column {column}: {detail}.',
  },
  template_too_costly: {
    status: 400,
    message:
      '{field} asks for more work than a template may: its loops are too long, or its texts too large.',
  },
  payload_too_large: {
    status: 400,
    message: 'The notification takes {actual} bytes on {platform}, which carries at most {max}. Shorten it.',
  },
  filter_invalid: { status: 400, message: 'The filter is not valid at {field}: {detail}.' },
  journey_invalid: { status: 400, message: 'The journey is not valid at {field}: {detail}.' },
  too_many_entries: {
    status: 400,
    message: '{field} may hold at most {max} entries; this one has {actual}. Send them in several calls.',
  },
  too_many_attributes: {
    status: 400,
    message: '{field} may hold at most {max} attributes{type}; this one has {actual}.',
  },
  attribute_name_too_long: {
    status: 400,
    message: 'The name of {field} may be at most {max} characters long; this one has {actual}.',
  },
  attribute_type: {
    status: 400,
    message: '{field} must be a String, Number, Boolean, Date, Object or Array of Objects.',
  },
  object_too_deep: { status: 400, message: '{field} nests deeper than {max} levels. Flatten it.' },
  entry_too_large: {
    status: 400,
    message: 'An entry may take at most {max} bytes; this one takes {actual}.',
  },
  row_too_large: {
    status: 400,
    message: 'A row may take at most {max} bytes. Leave out what it does not need.',
  },
  malformed_csv: { status: 400, message: 'The list is not valid CSV: {detail}.' },
  unauthenticated: {
    status: 401,
    message: 'No valid API key. Send x-api-key and x-brand-id, or Authorization: Bearer with the key.',
  },
  // The contract's own words, whatever is missing; `unprocessed` says what it was (spec §7).
  parameter_missing: { status: 403, message: 'Parameter missing' },
  scope_missing: { status: 403, message: 'This API key lacks the scope {scope}. Use a key that has it.' },
  origin_not_allowed: {
    status: 403,
    message:
      'Pages of the origin {origin} may not use this key. Add it to allowed_origins of the brand, exactly so.',
  },
  visitor_invalid: {
    status: 403,
    message: '{field} is no visitor token of ours for this brand. Ask POST /api/v1/visitors for a new one.',
  },
  user_unverified: {
    status: 403,
    message: '{field} does not prove who the user is. Let your server compute it with the identity key.',
  },
  not_found: { status: 404, message: 'There is nothing at this address. See /docs for what there is.' },
  key_not_found: { status: 404, message: 'There is no API key with that id on this brand.' },
  subscriber_not_found: { status: 404, message: 'No subscriber is known by that id on this brand.' },
  no_live_subscription: {
    status: 404,
    message: 'This subscriber has no live {platform} subscription. Register one, or use another platform.',
  },
  segment_not_found: { status: 404, message: 'There is no segment {id} on this brand.' },
  journey_not_found: { status: 404, message: 'There is no journey with that id on this brand.' },
  subscription_not_found: { status: 404, message: 'There is no subscription with that id on this brand.' },
  channel_missing: {
    status: 404,
    message: 'This brand has no credentials for {platform}, and no sandbox runs here. Set them first.',
  },
  receipt_invalid: {
    status: 400,
    message: '{field} is no receipt token of ours. Send it as the message brought it.',
  },
  sandbox_missing: { status: 404, message: 'No sandbox runs on this machine.' },
  notification_not_found: { status: 404, message: 'There is no notification with that id on this brand.' },
  profile_not_found: { status: 404, message: 'No profile is known by that name on this brand.' },
  webhook_not_found: { status: 404, message: 'There is no webhook with that id on this brand.' },
  webhook_message_not_found: { status: 404, message: 'This webhook has no message with that id any more.' },
  too_many_webhooks: {
    status: 409,
    message: 'A brand may have at most {max} webhooks. Delete one first.',
  },
  merge_not_found: { status: 404, message: 'There is no such merge on this brand, or it is already undone.' },
  method_not_allowed: { status: 405, message: 'This address does not take {method}. It takes {allowed}.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive. Send it again.' },
  idempotency_running: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Ask again in a moment.',
  },
  notification_final: {
    status: 409,
    message: 'This notification is already {state} and cannot be cancelled.',
  },
  segment_exists: {
    status: 409,
    message: 'There is already a segment {id} on this brand. Change it with PATCH, or choose another id.',
  },
  journey_state: {
    status: 409,
    message: 'This journey is {state}, so it cannot become {wanted}. It may become {allowed}.',
  },
  too_many_journeys: {
    status: 409,
    message: 'A brand may have at most {max} journeys that are not archived. Archive one first.',
  },
  merge_built_on: {
    status: 409,
    message: 'The profile that survived was merged again since then. Undo that merge first.',
  },
  body_too_large: { status: 413, message: 'The body may be at most {max} bytes, also after decompression.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json, in UTF-8.' },
  unsupported_list: { status: 415, message: 'Send the list as application/x-ndjson or text/csv, in UTF-8.' },
  unsupported_encoding: { status: 415, message: 'Send the body plain or with content-encoding: gzip.' },
  idempotency_mismatch: {
    status: 422,
    message: 'This Idempotency-Key was used with another request. Use a new key for a new request.',
  },
  takes_too_long: {
    status: 422,
    message:
      'To answer this takes longer than {seconds} seconds. Ask for a shorter time, or for less at once.',
  },
  rate_limited: {
    status: 429,
    message: 'More than {max} requests in {seconds} seconds. Wait for Retry-After.',
  },
  headers_too_large: { status: 431, message: 'The headers may be at most {max} bytes in all.' },
  internal: {
    status: 500,
    message: 'Something broke on our side. Quote the request_id to whoever runs Beckon.',
  },
  not_ready: { status: 503, message: 'Beckon cannot serve requests now. See checks for the reason.' },
  overloaded: { status: 503, message: 'Beckon is busy. Send the request again after Retry-After.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

export type ErrorCode = keyof typeof ERRORS

/** What a reply warns of while it accepts: nothing here changes what the request does (decisions §2). */
export const WARNINGS = {
  unknown_field: 'This is no field of this request. It was ignored.',
  sending_held:
    'Nothing is sent at the moment: whoever runs this Beckon holds all sending. This waits, as long as it has not expired.',
  unused_field: 'This field means nothing on this address. It was ignored.',
  null_attribute: 'An attribute that is null counts as absent.',
  context_ignored: 'This part of the context must be {expected}. It was left out.',
  reply_cut: 'There are more rows than the {max} that one reply holds. Ask for less with from and to.',
  type_locked:
    'This attribute was first sent as {locked}. A value of another type is set aside and not shown: use another name.',
  text_empty:
    'For this recipient title and message come out empty, so nothing would be sent. Give what is filled in a default.',
  text_unrendered:
    'For this recipient the template asks for more work than it may, or a filter for what it cannot do, so nothing would be sent.',
  no_credentials:
    'This brand has no credentials for {platform}, and no sandbox stands in for them. What is sent before PUT /api/v1/brand/channels/{platform} sets them fails.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS
