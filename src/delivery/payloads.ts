import type { RenderPayload } from '../domain/payload.ts'
import { MEASURE_PAYLOAD } from '../providers/payload-bytes.ts'

/** A message in one form for all platforms, without the fields that say nothing; its size is its provider's to tell. */
export const renderPayload: RenderPayload = (platform, message) => {
  const said = Object.entries(message).filter(([, value]) => value !== null && value !== false)
  return { payload: Object.fromEntries(said), bytes: MEASURE_PAYLOAD[platform](message) }
}
