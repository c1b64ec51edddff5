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
  const total = metrics.counter({
    name: 'beckon_http_requests_total',
    help: 'Requests answered, by endpoint and status.',
    labels: ['method', 'route', 'status'],
  })
  const duration = metrics.histogram({
    name: 'beckon_http_request_duration_seconds',
    help: 'From the end of the headers to the last byte of the reply.',
    labels: ['method', 'route'],
    buckets: BUCKETS_SECONDS,
  })
  const inFlight = metrics.gauge({
    name: 'beckon_http_requests_in_flight',
    help: 'Requests at work right now.',
    labels: [],
  })
  const shed = metrics.counter({
    name: 'beckon_http_requests_shed_total',
    help: 'Requests answered 503 because the process was overloaded.',
    labels: [],
  })
  return {
    served: ({ method, route, status, tookMs }) => {
      total({ method, route, status: String(status) }, 1)
      duration({ method, route }, tookMs / 1000)
    },
    inFlight: (count) => inFlight({}, count),
    shed: () => shed({}, 1),
  }
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
