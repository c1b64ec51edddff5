import { createECDH, randomBytes } from 'node:crypto'

/** A browser's subscription with keys of its own, as `PushSubscription.toJSON` gives it. */
export function webSubscription(
  endpoint = `https://fcm.googleapis.com/fcm/send/${randomBytes(12).toString('hex')}`,
) {
  return {
    endpoint,
    expirationTime: null,
    keys: {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    },
  }
}

/** A token as APNs gives it. */
export function iosToken(): string {
  return randomBytes(32).toString('hex')
}
