import { Readable } from 'node:stream'
import { type Call, type CallReply, reply } from './call.ts'
import type { ProviderFault } from './faults.ts'

/** Plays one fault. `accept` takes the message as a healthy provider does, and returns the answer without sending it. */
export function misbehave(call: Call, fault: ProviderFault, accept: () => CallReply): void {
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
    case 'accept_then_close':
      accept()
      call.connection.goaway('finishing')
      return call.reset()
    case 'accept_then_drip':
      return drip(call, accept().status, fault.everyMs)
    case 'accept_then_wait':
      return answerLate(call, accept(), fault.delayMs)
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

/** A caller that hangs up before the answer gets none. */
function answerLate(call: Call, late: CallReply, delayMs: number): void {
  const timer = setTimeout(() => {
    if (!call.isGone()) reply(call, late)
  }, delayMs)
  timer.unref()
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
