import type { Deps } from './deps.ts'
import { type Reply, replySuccess } from './reply.ts'
import type { Route } from './route.ts'

/** GET /healthz: the process is alive and its event loop turns. It asks nobody else. */
export async function replyAlive(_deps: Deps): Promise<Reply> {
  return replySuccess({})
}

export const HEALTH_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    group: 'Health',
    summary: 'Is the process alive?',
    scopes: null,
    body: 'none',
    isExempt: true,
    handler: replyAlive,
  },
]
