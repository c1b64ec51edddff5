// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type HealthApi = {
  /** Liveness */
  readonly 'GET /healthz': {
    readonly reply: Success
  }
  /** Readiness */
  readonly 'GET /readyz': {
    readonly reply: Success & {
      readonly ready: boolean
      readonly checks: Readonly<
        Record<
          string,
          {
            readonly ok: boolean
            readonly detail: string
          }
        >
      >
    }
  }
  /** Metrics for Prometheus */
  readonly 'GET /metrics': {
    readonly reply: Response
  }
}
