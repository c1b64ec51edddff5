import type { Fault } from './fault.ts'
import type { Warning } from './warning.ts'

/** The caller's mistake, with every fault found. The first one decides the status of the reply. */
export type Rejection = {
  readonly faults: readonly [Fault, ...Fault[]]
  /** Fields without effect, named also when the request is refused for another reason. */
  readonly warnings?: readonly Warning[]
}

/** The result of a parse or a plan: a value that cannot be wrong, or a rejection. */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly rejection: Rejection }

export function accept<Value>(value: Value): Result<Value> {
  return { ok: true, value }
}

export function reject(first: Fault, ...others: readonly Fault[]): Result<never> {
  return { ok: false, rejection: { faults: [first, ...others] } }
}

/** A rejection that is thrown, because the mistake shows only while a stream is being read, or deep inside a transaction. */
export class RejectionError extends Error {
  readonly rejection: Rejection

  constructor(rejection: Rejection) {
    super(rejection.faults[0].message)
    this.rejection = rejection
  }
}
