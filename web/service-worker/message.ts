/** The payload of a push (`src/providers/webpush/payload.ts`). An absent field is undefined. */
export type Message = {
  readonly delivery_id: string
  readonly receipt: string
  readonly tag: string
  readonly title: string
  readonly message?: string
  readonly url?: string
  readonly image_url?: string
  readonly hero_image_url?: string
  readonly buttons?: readonly Button[]
  /** The number on the icon of an installed site. */
  readonly badge?: number
  /** No notification is shown. */
  readonly data?: object
}

type Button = { readonly title: string; readonly url: string | null }

/** A push of Beckon, or null: the site may send others. */
export function readMessage(given: unknown): Message | null {
  return isMessage(given) ? given : null
}

function isMessage(given: unknown): given is Message {
  return typeof given === 'object' && given !== null && 'delivery_id' in given && 'title' in given
}
