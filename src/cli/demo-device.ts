import { parseJson } from '../domain/values/json.ts'
import { DEMO_USER } from '../rules/brand.ts'
import type { NewBrand } from './first-brand.ts'

/**
 * Gives the demo brand a device that the sandbox knows, through the API that everybody uses, so that the first push
 * can be sent right after the first start. False when there is none to be had: a sandbox can be switched off.
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
