import { CALL_BYTES_MAX, type Call } from '../call.ts'
import { parseObject } from '../jwt.ts'
import type { Problem } from './problem.ts'

/** The first mistake in the form of a request, in the order in which APNs checks. */
export function requestProblem(call: Call): Problem | null {
  return pathProblem(call) ?? headerProblem(call) ?? null
}

export function payloadProblem(call: Call): Problem | null {
  if (call.bytes === 0) return { reason: 'PayloadEmpty' }
  const bytesMax = call.headers['apns-push-type'] === 'voip' ? VOIP_BYTES_MAX : PAYLOAD_BYTES_MAX
  if (call.bytes > bytesMax || call.bytes > CALL_BYTES_MAX) return { reason: 'PayloadTooLarge' }
  return parseObject(call.body.toString()) === null ? { reason: 'PayloadEmpty' } : null
}

/** The device token of a path, as written. */
export function deviceOf(path: string): string {
  return DEVICE_PATH.exec(path)?.[1] ?? ''
}

/** A topic without the suffix that a push type adds to the bundle id. */
export function bundleOf(topic: string): string {
  return topic.replace(TOPIC_SUFFIX, '')
}

const PAYLOAD_BYTES_MAX = 4096
const VOIP_BYTES_MAX = 5120
const DEVICE_PATH = /^\/3\/device\/([^/?]*)$/
const TOPIC_SUFFIX =
  /\.(voip|voip-ptt|complication|location-query|pushkit\.fileprovider|push-type\.(liveactivity|widgets|controls))$/
const TOPIC = /^[A-Za-z0-9.-]{1,255}$/
const MESSAGE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const PUSH_TYPES = new Set([
  'alert',
  'background',
  'complication',
  'controls',
  'fileprovider',
  'liveactivity',
  'location',
  'mdm',
  'pushtotalk',
  'voip',
  'widgets',
])

function pathProblem({ method, path }: Call): Problem | null {
  if (method !== 'POST') return { reason: 'MethodNotAllowed' }
  if (!DEVICE_PATH.test(path)) return { reason: 'BadPath' }
  return deviceOf(path) === '' ? { reason: 'MissingDeviceToken' } : null
}

function headerProblem(call: Call): Problem | null {
  if (hasDuplicates(call.rawHeaders)) return { reason: 'DuplicateHeaders' }
  for (const [header, reason, isGood] of HEADER_RULES) {
    const value = call.headers[header]
    if (typeof value === 'string' && !isGood(value)) return { reason }
  }
  if (call.headers['apns-topic'] === undefined) return { reason: 'MissingTopic' }
  const isBackground = call.headers['apns-push-type'] === 'background'
  return isBackground && call.headers['apns-priority'] === '10' ? { reason: 'BadPriority' } : null
}

const HEADER_RULES = [
  ['apns-id', 'BadMessageId', (value: string) => MESSAGE_ID.test(value)],
  ['apns-topic', 'BadTopic', (value: string) => TOPIC.test(value)],
  ['apns-push-type', 'InvalidPushType', (value: string) => PUSH_TYPES.has(value)],
  ['apns-priority', 'BadPriority', (value: string) => ['1', '5', '10'].includes(value)],
  ['apns-expiration', 'BadExpirationDate', (value: string) => /^\d{1,10}$/.test(value)],
  ['apns-collapse-id', 'BadCollapseId', (value: string) => Buffer.byteLength(value) <= 64],
] as const

function hasDuplicates(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  return new Set(names).size < names.length
}
