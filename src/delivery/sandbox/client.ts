import type { Platform } from '../../rules/platforms.ts'
import type { FindSandbox } from './file.ts'

/** A message that a sandbox provider accepted. */
type SandboxArrival = {
  readonly platform: string
  readonly address: string
  readonly arrivedAt: number
  readonly collapseId: string | null
  readonly payload: unknown
}

/** The client of this machine's `SandboxControl`. Null: there is no sandbox, or it does not answer. */
type SandboxClient = {
  /** Whether the sandbox has written its file. */
  readonly isPresent: () => Promise<boolean>
  readonly arrivals: () => Promise<readonly SandboxArrival[] | null>
  /** A new device of the sandbox, as the body that registers it. A browser accepts messages of that VAPID key only. */
  readonly newDevice: (platform: Platform, vapidKey: string | null) => Promise<object | null>
}

export function sandboxClient(findSandbox: FindSandbox): SandboxClient {
  const ask = async (method: 'GET' | 'POST', path: string): Promise<Fields | null> => {
    const sandbox = await findSandbox()
    if (sandbox === null) return null
    const headers = { authorization: `Bearer ${sandbox.controlToken}` }
    const asked = { method, headers, signal: AbortSignal.timeout(ASK_MS) }
    // A sandbox that was killed leaves its file behind. That is the same as no sandbox.
    const response = await fetch(`${sandbox.controlUrl}${path}`, asked).catch(() => null)
    return response?.ok === true ? fieldsOf(await response.json()) : null
  }
  return {
    isPresent: async () => (await findSandbox()) !== null,
    arrivals: async () => arrivalsOf(await ask('GET', '/inbox')),
    newDevice: async (platform, vapidKey) =>
      ask('POST', `/devices/${platform}${vapidKey === null ? '' : `?vapid_key=${vapidKey}`}`),
  }
}

type Fields = Readonly<Record<string, unknown>>

const ASK_MS = 2_000

function arrivalsOf(answer: Fields | null): readonly SandboxArrival[] | null {
  const arrivals = answer?.['arrivals']
  return Array.isArray(arrivals) ? arrivals.map((arrival) => arrivalOf(fieldsOf(arrival))) : null
}

function arrivalOf({ platform, address, arrivedAt, collapseId, payload }: Fields): SandboxArrival {
  return {
    platform: String(platform),
    address: String(address),
    arrivedAt: Number(arrivedAt),
    collapseId: typeof collapseId === 'string' ? collapseId : null,
    payload,
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
