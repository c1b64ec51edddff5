import { MEASURES } from '../../runtime/measures.ts'
import type { Metrics } from '../../runtime/metrics.ts'

type Served = {
  readonly method: string
  /** The path of the route, because the paths that callers send are without number. */
  readonly route: string
  readonly status: number
  readonly tookMs: number
}

export type HttpMeters = {
  readonly served: (request: Served) => void
  readonly inFlight: (count: number) => void
  readonly shed: () => void
}

/** The metrics of requests in an API process. */
export function httpMeters(metrics: Metrics): HttpMeters {
  const total = metrics.counter(MEASURES.httpRequests)
  const duration = metrics.histogram(MEASURES.httpDuration)
  const inFlight = metrics.gauge(MEASURES.httpInFlight)
  const shed = metrics.counter(MEASURES.httpShed)
  return {
    served: ({ method, route, status, tookMs }) => {
      total({ method, route, status: String(status) }, 1)
      duration({ method, route }, tookMs / 1000)
    },
    inFlight: (count) => inFlight({}, count),
    shed: () => shed({}, 1),
  }
}
