import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { KEY_KINDS, type KeyKind, type Scope } from '../../src/rules/brand.ts'
import type { TestBrand } from '../support/database/database.ts'
import { SITE, webBrand } from '../support/people/visitors.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const brand = await webBrand(server)

for (const kind of ['secret', 'publishable'] as const) {
  for (const scope of KEY_KINDS[kind].scopes) {
    test(`a ${kind} key with the scope ${scope} alone is refused by every row of another scope`, async () => {
      const key = await makeKey(brand, kind, scope)
      const others = ROUTES.filter(({ scopes }) => scopes !== null && !scopes.some((one) => one === scope))
      assert.ok(others.length > 20)
      const answers = await Promise.all(others.map(async (route) => ask(route, key)))
      const open = others.filter((_, at) => answers[at]?.status !== 403)
      assert.deepEqual(
        open.map(({ method, path }) => `${method} ${path}`),
        [],
      )
    })
  }
}

test('without a key, only rows that say so answer', async () => {
  const closed = ROUTES.filter(({ scopes }) => scopes !== null)
  const answers = await Promise.all(closed.map(async (route) => ask(route, 'bk_secret_nothing')))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401])
  const open = ROUTES.filter(({ scopes, method }) => scopes === null && method !== 'GET')
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/api/v1/receipts', '/preferences/{token}'],
  )
})

async function makeKey(of: TestBrand, kind: KeyKind, scope: Scope): Promise<string> {
  const headers = keyHeaders(of)
  const body = { kind, scopes: [scope] }
  const answer = await call(server.port, { path: '/api/v1/brand/keys', headers, body })
  assert.equal(answer.status, 200, answer.text)
  return String(Object(answer.body['key'])['api_key'])
}

async function ask({ method, path }: Route, key: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, origin: SITE }
  return call(server.port, { method, path: path.replaceAll(/\{\w+\}/g, '1'), headers })
}
