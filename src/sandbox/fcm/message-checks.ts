import { isObject } from '../jwt.ts'
import { type FcmFailure, invalidArgument } from './failure.ts'

export type FcmMessage = Readonly<Record<string, unknown>>

/** The first mistake in a message, apart from its device. */
export function messageFailure(message: FcmMessage): FcmFailure | null {
  return (
    targetFailure(message) ?? dataFailure(message['data']) ?? androidFailure(message) ?? sizeFailure(message)
  )
}

const RESERVED_KEY = /^(from|message_type)$|^(google|gcm)/
const TTL = /^(\d+)(\.\d{1,9})?s$/
const TTL_SECONDS_MAX = 2_419_200
const PAYLOAD_BYTES_MAX = 4096
const TOPIC_BYTES_MAX = 2048

function targetFailure(message: FcmMessage): FcmFailure | null {
  const targets = ['token', 'topic', 'condition'].filter((name) => message[name] !== undefined)
  if (targets.length === 0) return invalidArgument('message', 'Recipient of the message is not set.')
  return targets.length > 1 ? invalidArgument('message', 'oneof field "target" is already set.') : null
}

function dataFailure(data: unknown): FcmFailure | null {
  if (data === undefined) return null
  if (!isObject(data)) return invalidArgument('message.data', 'Invalid value at "message.data"')
  for (const [key, value] of Object.entries(data)) {
    if (RESERVED_KEY.test(key)) return invalidArgument('message.data', `Invalid data payload key: ${key}`)
    if (typeof value !== 'string') return invalidArgument('message.data', 'Invalid value (TYPE_STRING)')
  }
  return null
}

function androidFailure(message: FcmMessage): FcmFailure | null {
  const { android } = message
  if (!isObject(android)) return null
  const { ttl, priority } = android
  const seconds = typeof ttl === 'string' ? Number(TTL.exec(ttl)?.[1]) : Number.NaN
  if (ttl !== undefined && !(seconds <= TTL_SECONDS_MAX))
    return invalidArgument('message.android.ttl', 'Invalid ttl')
  const isPriority = priority === undefined || priority === 'HIGH' || priority === 'NORMAL'
  return isPriority
    ? null
    : invalidArgument('message.android.priority', 'Invalid value at "message.android.priority"')
}

/** The notification and the data count towards the limit; the options for sending do not. */
function sizeFailure({ notification, data, android, topic }: FcmMessage): FcmFailure | null {
  const options = isObject(android) ? android['notification'] : undefined
  const bytes = Buffer.byteLength(JSON.stringify({ notification, data, android: options }))
  if (bytes <= (topic === undefined ? PAYLOAD_BYTES_MAX : TOPIC_BYTES_MAX)) return null
  return { ...invalidArgument('message', 'Android message is too big'), field: 'message' }
}
