import { parseJson } from '../domain/values/json.ts'
import { DEMO_USER } from '../rules/brand.ts'
import type { NewBrand } from './first-brand.ts'

/**
 * Registers a device of the sandbox for the demo brand through the public API, so that a push can be sent right after
 * the first start. False when the sandbox is switched off.
 */
export async function registerDemoDevice(url: string, brand: NewBrand): Promise<boolean> {
  const made = await post(`${url}/sandbox/devices`, brand, { platform: 'android' })
  if (made === null || !('device' in made) || !isRecord(made.device)) return false
  const registered = await post(`${url}/api/v1/subscriptions`, brand, { ...made.device, user_id: DEMO_USER })
  return registered !== null
}

const TIMEOUT_MS = 5_000

async function post(address: string, { brandId, secretKey }: NewBrand, body: object): Promise<object | null> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-brand-id': brandId, 'x-api-key': secretKey },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const reply = parseJson(await response.text())
  return response.ok && isRecord(reply) ? reply : null
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
