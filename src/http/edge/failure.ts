import { fault } from '../../domain/fault.ts'
import { RejectionError } from '../../domain/result.ts'
import { QueueFull } from '../../runtime/limits/limiter.ts'
import { STATEMENT_TIMEOUT_MS } from '../../store/session-settings.ts'
import { isOutcomeUnknown, isTimedOut, isUnavailable, troubleOf } from '../../store/unavailable.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { Lane } from '../route.ts'
import { CallerGone } from './body.ts'
import { outageWaitSeconds } from './outage-wait.ts'

export type Failed = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly lane?: Lane | undefined
  /** Changes nothing although it is no GET. The lane does not tell: a new segment is counted in the lane of reads. */
  readonly isRead?: true | undefined
}

/** The HTTP error handler: turns a thrown error into a reply, and logs the errors that an operator should see. */
export function replyFailure(deps: Deps, request: Failed, cause: unknown): Reply {
  if (cause instanceof RejectionError) return refuse(cause.rejection)
  if (cause instanceof CallerGone) return { status: CALLER_GONE, body: null }
  if (cause instanceof QueueFull) return refuseForNow(deps)
  const { log } = deps
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
    if (isOutcomeUnknown(cause) && !isRead) return refuseAway(deps, 'outcome_unknown')
    return troubleOf(cause) === 'busy' ? refuseForNow(deps) : refuseAway(deps, 'database_away')
  }
  log.error('a request failed', facts)
  return refuse({ faults: [fault('internal')] })
}

/** The refusal of a call for which there is no room. While the database is away, that is why. */
export function refuseForNow({ outage }: Pick<Deps, 'outage'>): Reply {
  if (outage.ageMs() !== null) return refuseAway({ outage }, 'database_away')
  return refuse({ faults: [fault('overloaded')] })
}

function refuseAway({ outage }: Pick<Deps, 'outage'>, code: 'database_away' | 'outcome_unknown'): Reply {
  const seconds = outageWaitSeconds({ ageMs: outage.ageMs() ?? 0, jitter: Math.random() })
  return refuse({ faults: [fault(code)] }, { headers: { 'retry-after': String(seconds) } })
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The caller does not get this status; it is only for the metrics. */
const CALLER_GONE = 499
