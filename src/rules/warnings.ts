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
