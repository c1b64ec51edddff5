import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SITE, webBrand } from '../support/people/visitors.ts'
import { type Answer, call, startServer } from '../support/processes/server.ts'

const LIMIT = 3
const FEW = { requestsMax: LIMIT, windowMs: 60_000 }
const PATHS = ['/api/v1/visitors', '/api/v1/visitors/commands'] as const

const server = await startServer()
const limited = await startServer({
  options: { ratePolicies: { push: FEW, visitor: FEW, receipt: FEW }, proxyHops: 1 },
})
after(async () => {
  await server.close()
  await limited.close()
})

type Ask = {
  readonly origin?: string
  readonly method?: string
  readonly key?: string
  readonly path?: string
}

async function ask({ origin, method = 'POST', key, path = PATHS[0] }: Ask): Promise<Answer> {
  const headers = origin === undefined ? {} : { origin }
  return call(server.port, { method, path: `${path}?key=${key}`, headers })
}

const STRANGERS = {
  'another host': 'https://evil.example',
  'a subdomain': 'https://www.shop.example',
  'a parent': 'https://example',
  'another port': 'https://shop.example:8443',
  'plain http': 'http://shop.example',
  'a name that ends the same': 'https://evilshop.example',
  'a name that begins the same': 'https://shop.example.evil.test',
  'upper case, which no browser sends': 'https://SHOP.example',
  'a trailing slash': 'https://shop.example/',
  'a sandboxed frame': 'null',
  'no page at all': undefined,
} as const

const REFUSAL_FIELDS = ['code', 'errors', 'message', 'processed', 'request_id', 'status_code']

for (const [name, origin] of Object.entries(STRANGERS)) {
  test(`403 for ${name}: the page may read why, and nothing else`, async () => {
    const { publishableKey: key } = await webBrand(server)
    const given = origin === undefined ? {} : { origin }
    for (const path of PATHS) {
      const { status, body, headers } = await ask({ ...given, key, path })
      assert.deepEqual([status, body['code']], [403, 'origin_not_allowed'])
      assert.deepEqual(Object.keys(body).toSorted(), REFUSAL_FIELDS)
      assert.match(String(body['message']), /Add this exact origin to allowed_origins with PATCH/)
      assert.deepEqual([headers['access-control-allow-origin'], headers['vary']], ['*', 'Origin'])
      const preflight = await ask({ ...given, key, path, method: 'OPTIONS' })
      assert.deepEqual([preflight.status, preflight.text], [204, ''])
    }
  })
}

test('200 for the site itself: its origin and no star, no credentials, and caches are told that it varies', async () => {
  const { publishableKey: key } = await webBrand(server)
  const { status, headers } = await ask({ origin: SITE, key })
  assert.equal(status, 200)
  assert.equal(headers['access-control-allow-origin'], SITE)
  assert.equal(headers['access-control-allow-credentials'], undefined)
  assert.equal(headers['vary'], 'Origin')
})

test('a preflight allows the one method and the headers a page needs', async () => {
  const { publishableKey: key } = await webBrand(server)
  const { headers } = await ask({ origin: SITE, key, method: 'OPTIONS' })
  assert.equal(headers['access-control-allow-methods'], 'POST')
  assert.match(String(headers['access-control-allow-headers']), /content-type/)
})

test('http on localhost is an origin of its own, with its port', async () => {
  const { publishableKey: key } = await webBrand(server, { allowed_origins: ['http://localhost:3000'] })
  assert.equal((await ask({ origin: 'http://localhost:3000', key })).status, 200)
  for (const origin of ['http://localhost', 'http://localhost:3001', 'https://localhost:3000']) {
    assert.equal((await ask({ origin, key })).status, 403, origin)
  }
})

test('a page of Beckon itself, such as the demo shop, is always allowed, on whatever port', async () => {
  const { publishableKey: key } = await server.brand()
  const host = `127.0.0.1:${server.port}`
  assert.equal((await ask({ origin: `http://${host}`, key })).status, 200)
  assert.equal((await ask({ origin: `https://${host}`, key })).status, 200)
  for (const origin of [`http://localhost:${server.port}`, 'http://127.0.0.1', `http://${host}0`, host]) {
    assert.equal((await ask({ origin, key })).status, 403, origin)
  }
})

test('a brand that allows no origin has no page that may ask', async () => {
  const { publishableKey: key } = await server.brand()
  assert.equal((await ask({ origin: SITE, key })).status, 403)
})

test('401 for a wrong key: any page may read it, in the address and in a header', async () => {
  const path = PATHS[0]
  const inAddress = await ask({ origin: SITE, key: 'bk_public_nobody' })
  const inHeader = await call(server.port, {
    method: 'POST',
    path,
    headers: { origin: SITE, authorization: 'Bearer bk_public_nobody' },
  })
  for (const { status, headers, body } of [inAddress, inHeader]) {
    assert.deepEqual([status, headers['access-control-allow-origin']], [401, '*'])
    assert.deepEqual(Object.keys(body).toSorted(), REFUSAL_FIELDS)
  }
  assert.match(String(inAddress.body['message']), /^No valid API key\. The key of this page is mistyped/)
})

test('403 for a secret key in a page, whatever its origin: it says to revoke it', async () => {
  const { secretKey: key } = await webBrand(server)
  for (const origin of [SITE, 'https://evil.example']) {
    const { status, body, headers } = await ask({ origin, key })
    assert.deepEqual([status, body['code']], [403, 'secret_key_in_page'])
    assert.match(String(body['message']), /Revoke it now/)
    assert.equal(headers['access-control-allow-origin'], '*')
  }
})

test('a preflight lets every page ask, because only the reply can say why it is refused', async () => {
  for (const key of ['bk_public_nobody', (await webBrand(server)).publishableKey]) {
    const { headers } = await ask({ origin: 'https://evil.example', key, method: 'OPTIONS' })
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
})

test('a page may read why it was refused', async () => {
  const { publishableKey: key } = await webBrand(server)
  const path = `${PATHS[1]}?key=${key}`
  const { status, headers } = await call(server.port, { path, headers: { origin: SITE }, body: '{' })
  assert.deepEqual([status, headers['access-control-allow-origin']], [400, SITE])
})

async function tellFrom(address: string) {
  return call(limited.port, {
    path: '/api/v1/receipts',
    headers: { 'x-forwarded-for': address, origin: SITE },
    body: { receipts: [{ receipt: 'x', kind: 'clicked' }] },
  })
}

test('429 for receipts beyond the rate of a network, whatever they say; another network goes on', async () => {
  const answers = []
  for (let count = 0; count <= FEW.requestsMax; count += 1) answers.push(await tellFrom('203.0.113.9'))
  const last = answers.at(-1)
  assert.ok(answers.slice(0, -1).every(({ status }) => status === 400))
  assert.deepEqual([last?.status, last?.body['code']], [429, 'rate_limited'])
  assert.equal(last?.headers['access-control-allow-origin'], '*')
  assert.equal((await tellFrom('203.0.113.10')).status, 400)
})

test('receipts come from any site, since their token is the proof', async () => {
  const preflight = await call(server.port, { method: 'OPTIONS', path: '/api/v1/receipts' })
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, '*'])
  const headers = { 'content-type': 'text/plain', origin: 'https://anywhere.example' }
  const receipts = [{ receipt: 'x', kind: 'clicked' }]
  const sent = await call(server.port, {
    path: '/api/v1/receipts',
    headers,
    body: JSON.stringify({ receipts }),
  })
  assert.deepEqual([sent.status, sent.body['code']], [400, 'receipt_invalid'])
  assert.equal(sent.headers['access-control-allow-origin'], '*')
})

test('a row that is not for pages has no preflight and no such header', async () => {
  const preflight = await call(server.port, {
    method: 'OPTIONS',
    path: '/api/event',
    headers: { origin: SITE },
  })
  assert.equal(preflight.status, 405)
  assert.equal(preflight.headers['access-control-allow-origin'], undefined)
})

test('429 for one network too busy, and not for the next; a made-up address gains nothing', async () => {
  const { publishableKey: key } = await webBrand(limited)
  const from = async (forwarded: string): Promise<Answer> =>
    call(limited.port, {
      method: 'POST',
      path: `${PATHS[0]}?key=${key}`,
      headers: { origin: SITE, 'x-forwarded-for': forwarded },
    })
  for (let count = 0; count < LIMIT; count++) {
    assert.equal((await from(`10.0.0.${count}, 203.0.113.7`)).status, 200)
  }
  const over = await from('10.0.0.9, 203.0.113.7')
  assert.deepEqual([over.status, over.body['code']], [429, 'rate_limited'])
  assert.equal(over.headers['access-control-allow-origin'], SITE)
  assert.equal((await from('203.0.113.8')).status, 200)
})
