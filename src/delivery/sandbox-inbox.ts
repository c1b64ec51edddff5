import type { FindSandbox } from './sandbox-places.ts'

/** What a sandbox provider took in. */
export type SandboxArrival = {
  readonly platform: string
  readonly address: string
  readonly arrivedAt: number
  readonly collapseId: string | null
  readonly payload: unknown
}

/** Reads what arrived at the sandbox of this machine; null when there is none, or none that answers. */
export function inboxReader(findSandbox: FindSandbox): () => Promise<readonly SandboxArrival[] | null> {
  return async () => {
    const sandbox = await findSandbox()
    if (sandbox === null) return null
    // A file that its sandbox left behind leads nowhere; that is the same as none.
    const response = await fetch(sandbox.inboxUrl, { signal: AbortSignal.timeout(READ_MS) }).catch(() => null)
    return response === null ? null : arrivalsOf(await response.json())
  }
}

const READ_MS = 2_000

function arrivalsOf(answer: unknown): readonly SandboxArrival[] {
  const { arrivals } = fieldsOf(answer)
  return Array.isArray(arrivals) ? arrivals.map((arrival) => arrivalOf(fieldsOf(arrival))) : []
}

function arrivalOf(fields: Readonly<Record<string, unknown>>): SandboxArrival {
  const { platform, address, arrivedAt, collapseId, payload } = fields
  return {
    platform: String(platform),
    address: String(address),
    arrivedAt: Number(arrivedAt),
    collapseId: typeof collapseId === 'string' ? collapseId : null,
    payload,
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
