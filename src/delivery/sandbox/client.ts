import type { Platform } from '../../rules/platforms.ts'
import type { FindSandbox } from './file.ts'

/** What a sandbox provider took in. */
export type SandboxArrival = {
  readonly platform: string
  readonly address: string
  readonly arrivedAt: number
  readonly collapseId: string | null
  readonly payload: unknown
}

/** What can be asked of the sandbox of this machine. Null: there is none, or none that answers. */
export type SandboxClient = {
  /** As far as its file tells. */
  readonly isPresent: () => Promise<boolean>
  readonly arrivals: () => Promise<readonly SandboxArrival[] | null>
  /** A device that it knows, as a body that registers it. A browser takes messages of that VAPID key only. */
  readonly newDevice: (platform: Platform, vapidKey: string | null) => Promise<object | null>
}

export function sandboxClient(findSandbox: FindSandbox): SandboxClient {
  const ask = async (method: 'GET' | 'POST', path: string): Promise<Fields | null> => {
    const sandbox = await findSandbox()
    if (sandbox === null) return null
    const asked = { method, signal: AbortSignal.timeout(ASK_MS) }
    // A file that its sandbox left behind leads nowhere; that is the same as none.
    const response = await fetch(`${sandbox.controlUrl}${path}`, asked).catch(() => null)
    return response === null ? null : fieldsOf(await response.json())
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
