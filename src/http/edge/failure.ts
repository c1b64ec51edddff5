import { fault } from '../../domain/fault.ts'
import { RejectionError } from '../../domain/result.ts'
import { QueueFull } from '../../runtime/limits/limiter.ts'
import { STATEMENT_TIMEOUT_MS } from '../../store/db.ts'
import { isTimedOut, isUnavailable } from '../../store/unavailable.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { Lane } from '../route.ts'
import { CallerGone } from './body.ts'

export type Failed = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly lane?: Lane | undefined
}

/** The HTTP error handler: what a thrown error means to the caller, and whether anybody should hear of it. */
export function replyFailure({ log }: Deps, request: Failed, cause: unknown): Reply {
  if (cause instanceof RejectionError) return refuse(cause.rejection)
  if (cause instanceof CallerGone) return { status: CALLER_GONE, body: null }
  if (cause instanceof QueueFull) return refuse({ faults: [fault('overloaded')] })
  const { id, method, path, lane } = request
  const facts = { request_id: id, method, path, cause }
  // The same question takes as long again: whoever asked must ask another. What is sent is not theirs to make smaller.
  if (lane === 'reads' && isTimedOut(cause)) {
    return refuse({
      faults: [fault('takes_too_long', null, { seconds: String(STATEMENT_TIMEOUT_MS / 1_000) })],
    })
  }
  if (isUnavailable(cause)) {
    log.warn('a request could not reach the database', facts)
    return refuse({ faults: [fault('overloaded')] })
  }
  log.error('a request failed', facts)
  return refuse({ faults: [fault('internal')] })
}

/** Nobody will read it; the number is only for the metrics. */
const CALLER_GONE = 499
