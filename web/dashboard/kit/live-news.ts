/** A message of the live stream. */
export type LiveMessage = {
  readonly subject: string
  /** The name of the event: `overview`, `event`, `gap`, `gone` … */
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The words between the tabs of a browser. */
export type LiveNews =
  /** A tab has taken over the connection, and asks the others what they want. */
  | { readonly kind: 'who' }
  | { readonly kind: 'wishes'; readonly tab: string; readonly subjects: readonly string[] }
  | { readonly kind: 'message'; readonly message: LiveMessage }
  /** The session or the role was taken away. */
  | { readonly kind: 'access' }
  /** The stream broke off; perhaps the server is away. */
  | { readonly kind: 'broken' }

/** A tab with an older version of the page may speak otherwise. */
export function isLiveNews(value: unknown): value is LiveNews {
  const { kind } = Object(value)
  return KINDS.some((known) => known === kind)
}

const KINDS: readonly LiveNews['kind'][] = ['who', 'wishes', 'message', 'access', 'broken']
