import { fault } from '../../domain/fault.ts'
import { METRICS_CONTENT_TYPE } from '../../runtime/metrics.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess, replyText } from '../reply.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'

/** GET /healthz: the process is alive and its event loop turns. It asks nobody else. */
export async function replyAlive(): Promise<Reply> {
  return replySuccess({})
}

/** GET /readyz: this process can serve. Alerts show here too, but only what is vital turns traffic away. */
export async function replyReady({ readiness }: Deps): Promise<Reply> {
  const { isReady, checks } = await readiness.find()
  const shown = Object.fromEntries(
    Object.entries(checks).map(([name, { isOk, detail }]) => [name, { ok: isOk, detail }]),
  )
  const fields = { ready: isReady, checks: shown }
  return isReady ? replySuccess(fields) : refuse({ faults: [fault('not_ready')] }, { fields })
}

/** GET /metrics */
export async function replyMetrics({ renderMetrics }: Deps): Promise<Reply> {
  return replyText(await renderMetrics(), METRICS_CONTENT_TYPE)
}

const OPEN = { method: 'GET', group: 'Health', scopes: null, body: 'none', isExempt: true } as const

export const HEALTH_ROUTES: readonly Route[] = [
  {
    ...OPEN,
    path: '/healthz',
    summary: 'Liveness',
    description: '200 as long as the process can answer, even under overload.',
    handler: replyAlive,
  },
  {
    ...OPEN,
    path: '/readyz',
    summary: 'Readiness',
    description: 'Checks the database and its schema. 503 if requests cannot be served; `checks` says why.',
    reply: Type.Object({
      ready: Type.Boolean(),
      checks: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean(), detail: Type.String() })),
    }),
    handler: replyReady,
  },
  {
    ...OPEN,
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    replyType: METRICS_CONTENT_TYPE,
    handler: replyMetrics,
  },
]
