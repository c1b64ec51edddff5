/** What a reply warns of while it accepts: nothing here changes what the request does (decisions §2). */
export const WARNINGS = {
  unknown_field: 'This is no field of this request. It was ignored.',
  unused_field: 'This field means nothing on this address. It was ignored.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof WARNINGS
