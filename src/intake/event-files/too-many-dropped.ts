import { fault } from '../../domain/fault.ts'
import { RejectionError } from '../../domain/result.ts'
import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'

type TooMany = {
  /** The events that would have to be brought, as far as they were counted: `3000000`, `more than 50000`, or `up to 70000`. */
  readonly events: string
  /** The bound that was met. */
  readonly max: number
  /** The time that all of them may take. */
  readonly bringMsMax: number
}

/**
 * A statement needs more dropped events than one transaction brings, or than the machine brings in time. A repetition hardly helps: the caller
 * should ask for less (decision 0040).
 */
export class TooManyDropped extends RejectionError {
  constructor({ events, max, bringMsMax }: TooMany) {
    const words = { events, max, seconds: Math.ceil(bringMsMax / 1_000) }
    super({ faults: [fault(OLD_EVENTS_REASON, null, words)] })
  }
}
