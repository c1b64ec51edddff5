import { fault } from '../../domain/fault.ts'
import { RejectionError } from '../../domain/result.ts'
import { QueueFull } from '../../runtime/limits/limiter.ts'
import { STATEMENT_TIMEOUT_MS } from '../../store/session-settings.ts'
import { isAway, isOutcomeUnknown, isTimedOut, isUnavailable } from '../../store/unavailable.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { Lane } from '../route.ts'
import { CallerGone } from './body.ts'

export type Failed = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly lane?: Lane | undefined
  /** Changes nothing although it is no GET. The lane does not tell: a new segment is counted in the lane of reads. */
  readonly isRead?: true | undefined
}

/** The HTTP error handler: turns a thrown error into a reply, and logs the errors that an operator should see. */
export function replyFailure({ log }: Deps, request: Failed, cause: unknown): Reply {
  if (cause instanceof RejectionError) return refuse(cause.rejection)
  if (cause instanceof CallerGone) return { status: CALLER_GONE, body: null }
  if (cause instanceof QueueFull) return refuse({ faults: [fault('overloaded')] })
  const { id, method, path, lane, isRead = READS.has(method) } = request
  const facts = { request_id: id, method, path, cause }
  // A read that timed out would time out again, so the caller must ask for less. A write cannot be made smaller: 503.
  if (lane === 'reads' && isTimedOut(cause)) {
    return refuse({
      faults: [fault('takes_too_long', null, { seconds: String(STATEMENT_TIMEOUT_MS / 1_000) })],
    })
  }
  if (isUnavailable(cause)) {
    log.warn('a request could not reach the database', facts)
    // A call that only reads has no outcome that could matter.
    if (isOutcomeUnknown(cause) && !isRead) return refuse({ faults: [fault('outcome_unknown')] })
    return refuse({ faults: [fault(isAway(cause) ? 'database_away' : 'overloaded')] })
  }
  log.error('a request failed', facts)
  return refuse({ faults: [fault('internal')] })
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The caller does not get this status; it is only for the metrics. */
const CALLER_GONE = 499
