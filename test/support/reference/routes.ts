import { replySuccess } from '../../../src/http/reply.ts'
import type { OpenRoute, TenantRoute } from '../../../src/http/route.ts'

/** A row for tests of what happens around handlers: it takes JSON and gives it back. */
export function echoRoute(overrides: Partial<OpenRoute> = {}): OpenRoute {
  return {
    method: 'POST',
    path: '/echo',
    group: 'Test',
    summary: 'Gives the body back',
    scopes: null,
    body: 'json',
    handler: async (_, request) => replySuccess({ echo: request.body }),
    ...overrides,
  }
}

/** The same behind a key. */
export function tenantRoute(overrides: Partial<TenantRoute> = {}): TenantRoute {
  return {
    method: 'POST',
    path: '/own',
    group: 'Test',
    summary: 'Gives the body back to a caller with a key',
    scopes: ['push'],
    body: 'json',
    handler: async (_, request) =>
      replySuccess({ echo: request.body, brand: request.caller.brandExternalId }),
    ...overrides,
  }
}
