/** The three ways to aim a notification (spec §4.1). `refusal` ends the sentence that refuses a stray field. */
export const PUSH_MODES = {
  send: {
    path: 'send',
    summary: 'Notify one subscriber',
    refusal: 'this address notifies one subscriber',
  },
  all: {
    path: 'broadcast/all',
    summary: 'Notify every subscriber of the platform',
    refusal:
      'this address reaches every subscriber; use /send for one subscriber, /broadcast/segment for a segment',
  },
  segment: {
    path: 'broadcast/segment',
    summary: 'Notify the subscribers of one segment',
    refusal: 'this address reaches a whole segment; use /send for one subscriber',
  },
} as const satisfies Record<
  string,
  { readonly path: string; readonly summary: string; readonly refusal: string }
>

export type PushMode = keyof typeof PUSH_MODES

export const PUSH_MODE_NAMES = ['send', 'all', 'segment'] as const satisfies readonly PushMode[]

/**
 * What a mode does with a field. `refused`: a mistaken call must not reach everyone. `ignored`: it has no meaning
 * here and could do no harm, so the reply only warns. `identifier`: at least one such field is needed.
 */
export type Presence = 'required' | 'optional' | 'identifier' | 'refused' | 'ignored'
