import { encodeJson } from '../domain/json.ts'
import type { RenderPayload } from '../domain/payload.ts'

/** A message in one form for all platforms: its fields as JSON, without those that say nothing. */
export const renderPayload: RenderPayload = (_platform, message) => {
  const said = Object.entries(message).filter(([, value]) => value !== null && value !== false)
  const payload = Object.fromEntries(said)
  return { payload, bytes: Buffer.byteLength(encodeJson(payload)) }
}
