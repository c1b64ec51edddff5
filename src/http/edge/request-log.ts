import { actorName } from '../../domain/team/actor.ts'
import type { Log } from '../../runtime/log.ts'
import type { Caller } from '../request.ts'
import type { Route } from '../route.ts'

/** The facts of a request that become known one after the other, until its reply is gone. */
export type RequestRecord = {
  readonly id: string
  /** Null for an address that no route has. */
  readonly route: Route | null
  caller: Caller | null
}

export type Served = {
  readonly record: RequestRecord
  readonly method: string
  readonly status: number
  readonly tookMs: number
}

/**
 * One line for each request. The route stands for the address, because addresses and queries may hold names of people;
 * bodies are never logged.
 */
export function logRequest(log: Log, { record, method, status, tookMs }: Served): void {
  const { id, route, caller } = record
  log.info('request', {
    method,
    route: route?.path ?? null,
    status,
    duration_ms: Math.round(tookMs * 10) / 10,
    brand: caller?.brandExternalId ?? null,
    actor: caller === null ? null : actorName(caller.actor),
    request_id: id,
  })
}
