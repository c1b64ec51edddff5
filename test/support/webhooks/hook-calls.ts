/** What the tests of webhooks share: a server, the loops that call, and somebody's server that is called. */
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { after, before, beforeEach } from 'node:test'
import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import { isPublicAddress } from '../../../src/domain/values/public-address.ts'
import { WebhookClient } from '../../../src/pipeline/webhooks/client.ts'
import { testWebhook } from '../../../src/pipeline/webhooks/test.ts'
import { runWebhooks } from '../../../src/pipeline/webhooks/webhooks.ts'
import type { WebhookEventType } from '../../../src/rules/webhooks.ts'
import { systemResolve } from '../../../src/runtime/address-guard.ts'
import { loopMeters } from '../../../src/runtime/loop/meters.ts'
import { Metrics } from '../../../src/runtime/metrics.ts'
import { enqueueWebhooks } from '../../../src/store/webhooks/outbox.ts'
import type { TestBrand } from '../database/database.ts'
import { memoryLog } from '../memory-log.ts'
import { call, keyHeaders, type RunningServer, startServer } from '../processes/server.ts'
import { until } from '../until.ts'
import { type Arrived, type HookServer, startHookServer } from './hook-server.ts'

/** Shorter than in life, so that a test can wait for it, and still longer than a busy machine takes for an answer. */
const ANSWER_MS = 5_000
export const allowed = new Set<string>()
/** Names that lead inside, as a caller's own name server could say. */
export const NAMES = new Map<string, readonly LookupAddress[]>([
  ['inside.example', [{ address: '127.0.0.1', family: 4 }]],
  ['mapped.example', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  [
    'mixed.example',
    [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  ],
])
const client = new WebhookClient({
  guard: {
    allowed,
    isPublic: isPublicAddress,
    resolve: (host, options, done) => {
      const addresses = NAMES.get(host)
      if (addresses === undefined) systemResolve(host, options, done)
      else done(null, addresses)
    },
  },
  answerMs: ANSWER_MS,
})
const stop = new AbortController()
export let server: RunningServer
let running: Promise<void>
export let hooks: HookServer

before(async () => {
  server = await startServer({
    deps: { webhookHosts: allowed, testWebhook: async (ref) => testWebhook(webhookDeps(), ref) },
  })
  const host = { signal: stop.signal, log: memoryLog(), meters: loopMeters(new Metrics('test')) }
  running = runWebhooks(webhookDeps(), host)
})

beforeEach(async (context) => {
  hooks = await startHookServer()
  allowed.add(hooks.host)
  if ('after' in context) context.after(hooks.close)
})

after(async () => {
  stop.abort()
  await running
  client.close()
  await server.close()
})

function webhookDeps() {
  const { database, sealer, clock } = server.deps
  return { database, sealer, clock, client }
}

export async function api(
  brand: TestBrand,
  method: string,
  path: string,
  body?: object,
): Promise<JsonObject> {
  const answer = await call(server.port, {
    method,
    path: `/api/v1/webhooks${path}`,
    headers: keyHeaders(brand),
    ...(body === undefined ? {} : { body }),
  })
  assert.equal(answer.status, 200, answer.text)
  const parsed: unknown = answer.body
  return isJsonObject(parsed) ? parsed : {}
}

/** What the library of the standard reads. */
export function signedHeaders({ headers }: Arrived): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

export type Hook = { readonly brand: TestBrand; readonly id: string; readonly secret: string }

export async function addHook(options: object = {}, brand?: TestBrand): Promise<Hook> {
  const owner = brand ?? (await server.brand())
  const draft = { url: hooks.url, event_types: ['journey.entered'], ...options }
  const webhook = objectOf((await api(owner, 'POST', '', draft))['webhook'])
  return { brand: owner, id: String(webhook['id']), secret: String(webhook['secret']) }
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

export async function happen(
  { brand }: Hook,
  count = 1,
  type: WebhookEventType = 'journey.entered',
): Promise<void> {
  const { brandId } = brand
  const events = Array.from({ length: count }, (_, number) => ({
    type,
    at: Date.now(),
    profileId: null,
    data: { number },
  }))
  await server.deps.database.asBrand(brandId, async (tx) => enqueueWebhooks(tx, brandId, events))
}

export async function log({ brand, id }: Hook): Promise<readonly JsonObject[]> {
  return listOf((await api(brand, 'GET', `/${id}/messages?limit=500`))['messages'])
}

export async function endpoint({ brand, id }: Hook): Promise<JsonObject> {
  return objectOf((await api(brand, 'GET', `/${id}`))['webhook'])
}

/** Waits until every message was tried, and gives the log. */
export async function untilTried(hook: Hook): Promise<readonly JsonObject[]> {
  let messages: readonly JsonObject[] = []
  await until(
    async () => {
      messages = await log(hook)
      return messages.length > 0 && messages.every(({ attempts }) => listOf(attempts).length > 0)
    },
    { what: 'an attempt' },
  )
  return messages
}

/** Moves what waits for a retry to now. */
export async function hasten({ brand }: Hook): Promise<void> {
  await server.deps.database.query(
    `update webhook_messages set ready_at = now() where brand_id = $1 and leased_by is null`,
    [brand.brandId],
  )
  await server.deps.database.query(`update webhook_endpoints set paused_until = null where brand_id = $1`, [
    brand.brandId,
  ])
}
