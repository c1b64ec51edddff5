import { Readable } from 'node:stream'
import { type Call, reply } from './call.ts'
import type { ProviderFault } from './faults.ts'

/** Plays one scripted fault. `accept` takes the message as a healthy provider does, without the answer. */
export function misbehave(call: Call, fault: ProviderFault, accept: () => void): void {
  switch (fault.kind) {
    case 'answer':
      return reply(call, { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' })
    case 'hang':
      return undefined
    case 'accept_then_drop':
      accept()
      return call.drop()
    case 'drop':
      return call.drop()
    case 'reset':
      return call.reset()
    case 'goaway':
      call.connection.goaway(fault.manner)
      return call.refuse()
    case 'drip':
      return drip(call, fault.status, fault.everyMs)
    case 'huge':
      return void zeros(fault.bytes).pipe(call.open(fault.status, {}))
    default:
      return fault satisfies never
  }
}

function drip(call: Call, status: number, everyMs: number): void {
  const answer = call.open(status, {})
  const timer = setInterval(() => answer.write('.'), everyMs)
  answer.on('close', () => clearInterval(timer))
  answer.on('error', () => clearInterval(timer))
}

/** The bytes are made as they are read, so that the sandbox needs no memory for them. */
function zeros(bytes: number): Readable {
  const chunk = Buffer.alloc(64 * 1024)
  let left = bytes
  return new Readable({
    read() {
      const size = Math.min(left, chunk.length)
      left -= size
      this.push(size === 0 ? null : chunk.subarray(0, size))
    },
  })
}
