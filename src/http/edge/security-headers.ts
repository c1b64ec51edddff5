import type { ReplyHeaders } from '../reply.ts'

/** On every reply. A page that needs more than nothing says so in its own headers, which win over these. */
export const SECURITY_HEADERS: ReplyHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
