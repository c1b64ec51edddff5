import type { SandboxHost } from '../rules/sandbox.ts'
import { brandNamedIn } from '../runtime/secrets/signed-name.ts'
import type { Call } from './call.ts'
import type { FaultDial, FaultRule } from './fault-dial.ts'
import type { ProviderFault } from './faults.ts'
import { TOKEN_PATH } from './fcm/fcm-sandbox.ts'
import type { FaultOf } from './server.ts'

/** The parts of a provider that tell whose message a call is. */
type CallReader = {
  readonly addressOf: (call: Call) => string
  /** The receipt token in the message; null for a call that is no message of Beckon. */
  readonly receiptOf: (call: Call) => string | null
}

/** The fault that the dial has for a call to this push service. A call for an access token is no message. */
export function dialledFault(dial: FaultDial, host: SandboxHost, reader: CallReader): FaultOf {
  return (call) => {
    if (call.path === TOKEN_PATH) return undefined
    const rule = dial.pick({
      host,
      address: reader.addressOf(call),
      brandOf: () => brandNamedIn(reader.receiptOf(call) ?? ''),
    })
    return rule === undefined ? undefined : faultOf(rule)
  }
}

const DRIP_EVERY_MS = 1_000

function faultOf({ fault, status, retryAfter, delayMs }: FaultRule): ProviderFault {
  switch (fault) {
    case 'hang':
    case 'reset':
      return { kind: fault }
    case 'drip':
      return { kind: 'accept_then_drip', everyMs: DRIP_EVERY_MS }
    case 'close':
      return { kind: 'accept_then_close' }
    case 'late':
      return { kind: 'accept_then_wait', delayMs }
    case 'answer': {
      const headers = retryAfter === null ? {} : { 'retry-after': String(retryAfter) }
      return { kind: 'answer', status, headers }
    }
    default:
      return fault satisfies never
  }
}
