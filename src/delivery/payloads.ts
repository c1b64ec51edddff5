import type { RenderPayload } from '../domain/push/payload.ts'
import { parseJson } from '../domain/values/json.ts'
import { MEASURE_PAYLOAD, SHOW_PAYLOAD } from '../providers/payload-bytes.ts'

/** A message as its platform's provider would be given it. */
export const renderPayload: RenderPayload = (platform, message) => ({
  bytes: MEASURE_PAYLOAD[platform](message),
  show: () => parseJson(SHOW_PAYLOAD[platform](message)),
})
