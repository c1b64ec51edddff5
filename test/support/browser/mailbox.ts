/** What a push service knows of one subscription of a browser. */
export type Mailbox = {
  /** The VAPID key that the browser subscribed with, base64url without padding. */
  readonly vapidKey: string
  /** The browser took it back. */
  readonly isGone: boolean
  /** Hands a message to the browser; kept and handed again until the browser confirms it. */
  readonly put: (message: PushMessage) => void
}

/** A message as it came from the sender: only the browser can read its body. */
export type PushMessage = { readonly body: Buffer; readonly ttlSeconds: number }
