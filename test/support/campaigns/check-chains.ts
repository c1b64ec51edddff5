import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import type { TestBrand } from '../database/database.ts'
import { call, keyHeaders, startServer } from '../processes/server.ts'
import { runPushLane, sandboxAccess } from '../push/engine.ts'
import { assertDocumented } from '../reference/documented.ts'
import { until } from '../until.ts'
import { CampaignCalls } from './calls.ts'

const CHAIN = [
  'person',
  'device',
  'subscribed',
  'audience',
  'latest_device',
  'group',
  'due',
  'topic',
  'quiet_hours',
  'frequency_cap',
  'channel',
  'sending',
  'approval',
]
export const DRAFT = { audience: { everyone: true }, content: { title: 'Teas', message: 'Six new ones.' } }

export type Asked = { readonly userId: string; readonly draft?: JsonObject; readonly campaign?: string }

export type Chain = {
  readonly wouldReach: boolean
  /** The check that failed, or null. */
  readonly failed: string | null
  readonly waits: readonly string[]
  readonly checks: readonly JsonObject[]
}

type Registration = {
  readonly userId: string
  readonly platform?: 'android' | 'ios'
  readonly more?: JsonObject
}

/** The sentence that a check saw. */
export function seenAt({ checks }: Chain, name: string): string {
  const { seen } = checks.find(({ check }) => check === name) ?? {}
  return JSON.stringify(seen)
}

/** A server with workers and sandbox providers, and the calls about the chain of checks. */
export async function startChains() {
  const server = await startServer()
  const sandbox = await startSandbox()
  const { database } = server.deps
  const stopLane = runPushLane(database, sandboxAccess(sandbox))
  const campaigns = new CampaignCalls(server)
  const close = async (): Promise<void> => {
    await stopLane()
    await sandbox.close()
    await server.close()
  }

  /** Asks about a document that is not stored, or about a stored campaign, and holds the chain to its law. */
  async function explain(brand: TestBrand, { userId, draft = {}, campaign }: Asked): Promise<Chain> {
    const path = campaign === undefined ? '/explain' : `/${campaign}/explain?user_id=${userId}`
    const answer = await call(server.port, {
      method: 'POST',
      path: `/api/v1/campaigns${path}`,
      headers: keyHeaders(brand),
      ...(campaign === undefined ? { body: { ...DRAFT, ...draft, user_id: userId } } : {}),
    })
    assert.equal(answer.status, 200, answer.text)
    const place = campaign === undefined ? '/explain' : '/{campaign_id}/explain'
    assertDocumented({ method: 'POST', path: `/api/v1/campaigns${place}` }, answer)
    const { explanation } = answer.body
    assert.ok(isJsonObject(explanation) && Array.isArray(explanation['checks']))
    const checks = explanation['checks'].filter(isJsonObject)
    const results = checks.map(({ result }) => result)
    assert.deepEqual(
      checks.map(({ check }) => check),
      CHAIN,
    )
    const stop = results.indexOf('failed')
    const asked = stop === -1 ? checks.length : stop + 1
    for (const [at, check] of checks.entries()) {
      assert.equal(
        check['result'] === 'not_reached',
        at >= asked,
        `${String(check['check'])} in ${answer.text}`,
      )
      assert.ok(typeof check['rule'] === 'string' && check['rule'].length > 0)
      assert.equal(Array.isArray(check['seen']) && check['seen'].length > 0, at < asked)
      assert.equal(check['at'] === null, at >= asked)
    }
    assert.equal(explanation['would_reach'], stop === -1)
    const waits = checks.filter(({ result }) => result === 'waits').map(({ check }) => String(check))
    return { wouldReach: stop === -1, failed: stop === -1 ? null : (CHAIN[stop] ?? null), waits, checks }
  }

  /** A brand with one person, `ann`, whose one device the sandbox knows. */
  async function brandWithAnn(): Promise<TestBrand> {
    const brand = await server.brand()
    await register(brand, { userId: 'ann' })
    return brand
  }

  async function register(brand: TestBrand, { userId, platform = 'android', more = {} }: Registration) {
    const token = platform === 'android' ? sandbox.fcm.newToken() : sandbox.apns.newToken()
    const answer = await call(server.port, {
      path: '/api/v1/subscriptions',
      headers: keyHeaders(brand),
      body: { platform, token, user_id: userId, time_zone: 'Etc/UTC', ...more },
    })
    assert.equal(answer.status, 200, answer.text)
    return token
  }

  async function change({ brandId }: TestBrand, settings: string): Promise<void> {
    await database.query(`update brands set ${settings} where id = $1`, [brandId])
  }

  /** Waits until the messages of a campaign on all platforms have an outcome. */
  async function untilSent(brand: TestBrand, campaign: string): Promise<void> {
    const isSent = async (): Promise<boolean> => {
      const { notifications } = await campaigns.read(brand, campaign)
      return (
        Array.isArray(notifications) &&
        notifications.every((one) => isJsonObject(one) && one['state'] === 'sent')
      )
    }
    await until(isSent, { what: `campaign ${campaign} is sent` })
  }

  return { server, sandbox, database, campaigns, close, explain, brandWithAnn, register, change, untilSent }
}
