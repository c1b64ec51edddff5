import type { Call } from '../call.ts'

/** Why a push service refuses a message, with Mozilla's number for it (autopush-rs, "errno"). */
export type WebPushProblem = { readonly status: number; readonly errno: number; readonly message: string }

/** The first mistake in the form of a message (RFC 8030 §5). */
export function shapeRefusal({ headers, bytes }: Call): WebPushProblem | null {
  const { ttl, topic, urgency } = headers
  if (bytes > BODY_BYTES_MAX) return { status: 413, errno: 104, message: 'Data payload too large' }
  if (ttl === undefined) return { status: 400, errno: 111, message: 'Missing TTL header' }
  if (!/^\d{1,10}$/.test(String(ttl))) return { status: 400, errno: 112, message: 'Invalid TTL header' }
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) {
    return { status: 400, errno: 113, message: 'Invalid Topic header' }
  }
  if (urgency !== undefined && !URGENCIES.has(String(urgency))) {
    return { status: 400, errno: 111, message: 'Invalid Urgency header' }
  }
  const isPlain = bytes > 0 && headers['content-encoding'] !== 'aes128gcm'
  return isPlain ? { status: 400, errno: 110, message: 'Invalid Content-Encoding' } : null
}

const BODY_BYTES_MAX = 4096
const URGENCIES = new Set(['very-low', 'low', 'normal', 'high'])
