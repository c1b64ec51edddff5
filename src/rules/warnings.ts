/** The warnings of a reply that accepts: none of them changes the effect of the request (decisions §2). */
export const WARNINGS = {
  // Parts of the request that were ignored
  unknown_field: 'Unknown field, ignored.',
  unused_field: 'This endpoint does not use this field. It was ignored.',
  no_effect: 'This field has no effect: {detail}.',
  contact_unused:
    'This brand does not merge profiles, so {field} identifies nobody and is not stored with an event. Send it with user/create, or set profile_merging with PATCH /api/v1/brand. Later entries of this call are not told.',
  null_attribute: 'An attribute that is null counts as absent.',
  context_ignored: 'This part of the context must be {expected}. It was ignored.',
  duplicate:
    'An event with this event_id came before, from the same server or browser. It counts as processed and is not stored again.',
  unknown_user:
    'This person was not known before, so the event counts as before their creation and starts no journey, although a journey begins with this event. Send the person with user/create first.',
  type_overruled:
    'Browsers sent this attribute as {before} before. It is locked to {locked} now, and values of browsers that do not fit become mistyped.',
  mistyped:
    'The brand uses this attribute with another type. The value is stored as mistyped and is not used.',
  type_locked:
    'This attribute is locked to the type {locked}. A value of another type is stored as mistyped and is not used. Send {locked}, or use another attribute name.',

  // Names that were never used, perhaps because of a typing mistake
  unknown_attribute:
    'No {of} has had this attribute so far. Names are case-sensitive: Price and price are two attributes.',
  unknown_event: 'The brand has had no event of this name so far. Names are case-sensitive.',

  unknown_variable: 'The template names {name}, which {detail}. It is empty for everybody.',
  no_device: '{user} has no live device on the platforms of the campaign, and gets nothing.',
  unknown_users:
    '{count} of the listed people are unknown at present. They get nothing unless they are created first.',
  unknown_tag: 'No live subscription and no person carries this tag. Tags are case-sensitive.',

  // A notification that is accepted and may not arrive
  audience_empty: 'Nobody is in the audience at present, so nobody gets this notification.',
  sending_held:
    'The operator of this Beckon holds all sending. This notification waits for the end of the hold, until it expires.',
  no_credentials:
    'This brand has no credentials for {platform}, and no sandbox runs on this machine. Notifications fail until PUT /api/v1/brand/channels/{platform} sets the credentials.',
  channel_paused: 'Notifications on {platform} wait, because the channel is paused ({reason}). {advice}',
  channel_failing: 'Notifications on {platform} are not accepted at present ({reason}). {advice}',
  channel_partial: 'Some browsers are not reached ({reason}). {advice}',
  text_empty:
    'Title and message are empty for this recipient, so nothing would be sent. Give the template a default text.',
  text_unrendered:
    'The template cannot be rendered for this recipient, so nothing would be sent. It takes too much work, or a filter got a value that it does not take.',

  // A setting that lets others do more
  unverified:
    'Without identity verification, anybody with the publishable key, which is public, can claim any userID in a browser and get the notifications of that person.',

  // A reply that is not complete
  groups_cut: 'The reply holds the {max} largest parts only. Narrow the series down to see others.',
  reply_cut: 'The reply holds the first {max} rows only. Ask for a shorter time range with from and to.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS
