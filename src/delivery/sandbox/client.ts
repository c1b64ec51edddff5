import type { ArrivedMessage } from '../../domain/subscriptions/virtual-message.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { SandboxFaultDraft, SandboxFaultRule } from '../../rules/sandbox.ts'
import { faultRulesIn } from './faults.ts'
import type { FindSandbox } from './file.ts'
import { shownMessage } from './shown-message.ts'

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
  /** The newest messages of each of these devices, oldest first. */
  readonly messagesOf: (
    devices: readonly SandboxDevice[],
  ) => Promise<readonly (readonly ArrivedMessage[])[] | null>
  /** A new device of the sandbox, as the body that registers it. A browser accepts messages of that VAPID key only. */
  readonly newDevice: (platform: Platform, vapidKey: string | null) => Promise<object | null>
  readonly faults: (brandId: number) => Promise<readonly SandboxFaultRule[] | null>
  readonly addFault: (
    brandId: number,
    draft: SandboxFaultDraft,
  ) => Promise<SandboxFaultRule | 'too_many' | null>
  /** How many rules there were. */
  readonly clearFaults: (brandId: number) => Promise<number | null>
}

type SandboxDevice = { readonly platform: Platform; readonly address: string }

export function sandboxClient(findSandbox: FindSandbox): SandboxClient {
  const call = async (method: Method, path: string, body?: object): Promise<Response | null> => {
    const sandbox = await findSandbox()
    if (sandbox === null) return null
    const headers = { authorization: `Bearer ${sandbox.controlToken}` }
    const asked = { method, headers, signal: AbortSignal.timeout(ASK_MS) }
    const sent = body === undefined ? asked : { ...asked, body: JSON.stringify(body) }
    // A sandbox that was killed leaves its file behind. That is the same as no sandbox.
    return fetch(`${sandbox.controlUrl}${path}`, sent).catch(() => null)
  }
  const ask = async (method: Method, path: string): Promise<Fields | null> => {
    const response = await call(method, path)
    return response?.ok === true ? fieldsOf(await response.json()) : null
  }
  return {
    isPresent: async () => (await findSandbox()) !== null,
    arrivals: async () => arrivalsOf(await ask('GET', '/inbox')),
    messagesOf: async (devices) => {
      if (devices.length === 0) return (await findSandbox()) === null ? null : []
      const response = await call('POST', '/watched', { addresses: devices.map(({ address }) => address) })
      if (response?.ok !== true) return null
      const { lists } = fieldsOf(await response.json())
      return devices.map(({ platform }, at) => {
        const list: unknown = Array.isArray(lists) ? lists[at] : null
        return Array.isArray(list) ? list.map((one) => shownMessage(platform, fieldsOf(one))) : []
      })
    },
    newDevice: async (platform, vapidKey) =>
      ask('POST', `/devices/${platform}${vapidKey === null ? '' : `?vapid_key=${vapidKey}`}`),
    faults: async (brandId) => {
      const answer = await ask('GET', `/faults?brand=${brandId}`)
      return answer === null ? null : faultRulesIn(answer['rules'])
    },
    addFault: async (brandId, draft) => {
      const response = await call('POST', '/faults', { ...draft, brandId })
      if (response?.status === 409) return 'too_many'
      if (response?.ok !== true) return null
      return faultRulesIn([fieldsOf(await response.json())['rule']])[0] ?? null
    },
    clearFaults: async (brandId) => {
      const answer = await ask('DELETE', `/faults?brand=${brandId}`)
      return answer === null ? null : Number(answer['removed'])
    },
  }
}

type Method = 'GET' | 'POST' | 'DELETE'
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
  return typeof value === 'object' ? { ...value } : {}
}
