import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { replySuccess } from '../../src/http/reply.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { revokeKey } from '../../src/store/brand/api-keys.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { tenantRoute } from '../support/reference/routes.ts'

const PATH = '/whoami'
const whoami = tenantRoute({
  method: 'GET',
  path: PATH,
  body: 'none',
  handler: async (_, { caller }) => replySuccess({ brand: caller.brandExternalId, scopes: caller.scopes }),
})

let now = Date.UTC(2026, 0, 1)

const server = await startServer({ routes: [whoami], clock: { now: () => now } })
const brand = await server.brand()
const other = await server.brand()
after(server.close)

const ask = async (headers: Readonly<Record<string, string>>): Promise<Answer> =>
  call(server.port, { path: PATH, headers })

test('200 with x-api-key and x-brand-id', async () => {
  const { status, body } = await ask(keyHeaders(brand))
  assert.equal(status, 200)
  assert.equal(body['brand'], brand.externalId)
})

test('200 with a bearer key alone, and with the brand it belongs to', async () => {
  for (const authorization of [`Bearer ${brand.secretKey}`, `bearer  ${brand.secretKey}`]) {
    assert.equal((await ask({ authorization })).body['brand'], brand.externalId)
    assert.equal((await ask({ authorization, 'x-brand-id': brand.externalId })).status, 200)
  }
})

const SEND = 'Send x-api-key and x-brand-id, or Authorization: Bearer with the key.'
const MISSING_BRAND = 'Beside x-api-key, send the id of the brand as x-brand-id.'
const UNKNOWN = 'The key is mistyped, revoked, or of another Beckon.'
const WRONG = 'The key is mistyped, revoked, or of another brand than x-brand-id says.'

test('401 is the same for every wrong key, and says what is missing in the request', async () => {
  const revoked = await server.brand()
  const { body: keys } = await call(server.port, { path: PATH, headers: keyHeaders(revoked) })
  assert.equal(keys['brand'], revoked.externalId)
  await server.deps.database.query('update api_keys set revoked_at = now() where brand_id = $1', [
    revoked.brandId,
  ])
  now += LIMITS.keyCacheMs

  const wrong: readonly (readonly [remedy: string, headers: Readonly<Record<string, string>>])[] = [
    [SEND, {}],
    [SEND, { 'x-api-key': '', 'x-brand-id': brand.externalId }],
    [SEND, { 'x-brand-id': brand.externalId }],
    [SEND, { authorization: 'Bearer' }],
    [SEND, { authorization: `Basic ${brand.secretKey}` }],
    [MISSING_BRAND, { 'x-api-key': brand.secretKey }],
    [MISSING_BRAND, { 'x-api-key': 'bk_secret_nobody' }],
    [UNKNOWN, { authorization: 'Bearer bk_secret_nobody' }],
    [UNKNOWN, { authorization: `Bearer ${revoked.secretKey}` }],
    [WRONG, { 'x-api-key': 'bk_secret_nobody', 'x-brand-id': brand.externalId }],
    [WRONG, { 'x-api-key': brand.secretKey, 'x-brand-id': other.externalId }],
    [WRONG, { 'x-api-key': brand.secretKey, 'x-brand-id': brand.externalId.toUpperCase() }],
    [WRONG, { authorization: `Bearer ${brand.secretKey}`, 'x-brand-id': other.externalId }],
    [
      WRONG,
      { 'x-api-key': 'nobody', 'x-brand-id': brand.externalId, authorization: `Bearer ${brand.secretKey}` },
    ],
    [WRONG, keyHeaders(revoked)],
  ]
  for (const [remedy, headers] of wrong) {
    const { status, body, headers: replied } = await ask(headers)
    const { request_id: id, ...rest } = body
    assert.equal(status, 401, JSON.stringify(headers))
    assert.equal(id, replied['x-request-id'])
    assert.equal(replied['www-authenticate'], 'Bearer realm="beckon"')
    const message = `No valid API key. ${remedy}`
    assert.deepEqual(rest, {
      message,
      processed: 0,
      status_code: '401',
      code: 'unauthenticated',
      errors: [{ code: 'unauthenticated', field: null, message }],
    })
  }
})

test('401 from five seconds after a revocation at the latest', async () => {
  const brief = await server.brand()
  assert.equal((await ask(keyHeaders(brief))).status, 200)
  const { rows } = await server.deps.database.query<{ id: number }>(
    `select id from api_keys where brand_id = $1 and kind = 'secret'`,
    [brief.brandId],
  )
  const keyId = rows[0]?.id ?? 0
  assert.equal(await revokeKey(server.deps.database, { brandId: brief.brandId, keyId, now }), true)
  assert.ok(LIMITS.keyCacheMs < 5_000)
  now += LIMITS.keyCacheMs
  assert.equal((await ask(keyHeaders(brief))).status, 401)
})

test('403 names the scope that is missing', async () => {
  const { status, body } = await ask({ 'x-api-key': brand.publishableKey, 'x-brand-id': brand.externalId })
  assert.equal(status, 403)
  assert.equal(body['code'], 'scope_missing')
  assert.match(String(body['message']), /push/)
})

test('401 is given before the body is read', async () => {
  const headers = { 'content-length': '1000000', 'content-type': 'application/json' }
  const { status } = await ask(headers)
  assert.equal(status, 401)
})
