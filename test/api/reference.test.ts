import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { codesOf } from '../../src/http/reference/route-codes.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { partAt } from '../../src/http/schema/walk.ts'
import { ERRORS } from '../../src/rules/errors.ts'
import { call, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)

const described = ROUTES.filter(({ group }) => group !== 'Reference')

test('200 on /openapi.json is OpenAPI 3.1 and nothing is added to it', async () => {
  const { status, body, headers } = await call(server.port, { path: '/openapi.json' })
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.equal(body['openapi'], '3.1.0')
  assert.deepEqual(Object.keys(body), ['openapi', 'info', 'servers', 'tags', 'paths', 'components'])
})

test('/openapi.json has every endpoint, with its parameters, its body and its refusals', async () => {
  const { body } = await call(server.port, { path: '/openapi.json' })
  for (const route of described) {
    const operation = Object(Object(Object(body['paths'])[route.path])[route.method.toLowerCase()])
    const name = `${route.method} ${route.path}`
    assert.equal(operation.summary, route.summary, name)
    const statuses = new Set(codesOf(route).map((code) => String(ERRORS[code].status)))
    assert.deepEqual(new Set(Object.keys(operation.responses)), new Set(['200', ...statuses]), name)
    assert.equal(operation.security.length > 0, route.scopes !== null || route.isForMembers === true, name)
    assert.equal('requestBody' in operation, route.body !== 'none', name)
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param)
    const params: readonly { readonly in: string; readonly name: string }[] = operation.parameters
    assert.deepEqual(
      params.filter((param) => param.in === 'path').map((param) => param.name),
      inPath,
      name,
    )
  }
})

test('every reference in /openapi.json leads somewhere, and every operation has a name of its own', async () => {
  const { body, text } = await call(server.port, { path: '/openapi.json' })
  const references = [...text.matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, reference]) => reference ?? '')
  assert.ok(references.length > 0)
  for (const reference of references) assert.notEqual(partAt(body, reference), undefined, reference)
  const names = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, name]) => name)
  assert.equal(new Set(names).size, described.length)
})

test('200 on /docs shows every endpoint and every error, and every link on it leads somewhere', async () => {
  const { status, text, headers } = await call(server.port, { path: '/docs' })
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  for (const { path, summary } of described) {
    assert.ok(text.includes(`>${path}<`), path)
    assert.ok(text.includes(summary), summary)
  }
  const ids = new Set([...text.matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id))
  for (const code of Object.keys(ERRORS)) assert.ok(ids.has(`error-${code}`), code)
  for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.has(target), `#${target ?? ''}`)
})

test('/docs shows the fields of what may stand alone or in a list', async () => {
  const { text } = await call(server.port, { path: '/docs' })
  for (const field of ['nv.user_params', 'nv.context.utm.ad_id', 'nv[].user_attributes']) {
    assert.ok(text.includes(`>${field}<`), field)
  }
})

for (const path of ['/docs'])
  test(`200 on ${path} needs no script and nothing from elsewhere; its style sheet is the one it allows`, async () => {
    const { status, text, headers } = await call(server.port, { path })
    assert.equal(status, 200)
    assert.doesNotMatch(text, /<script|<img|<link|\son\w+=|url\(|@import/i)
    for (const [, href] of text.matchAll(/(?:href|src)="([^"]+)"/g)) assert.match(href ?? '', /^[#/]/)
    const policy = String(headers['content-security-policy'])
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    assert.match(policy, /default-src 'none'/)
    assert.ok(policy.includes(`style-src 'sha256-${hash}'`))
    assert.ok(!policy.includes('unsafe'))
  })

test('/docs names the address at which it was opened, and nothing of it is markup', async () => {
  const docsAt = async (headers: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await call(server.port, { path: '/docs', headers })).text
  assert.ok((await docsAt()).includes(`export BECKON_URL=http://127.0.0.1:${server.port}\n`))
  const behindProxy = { host: 'push.example.com', 'x-forwarded-proto': 'https' }
  assert.match(await docsAt(behindProxy), /export BECKON_URL=https:\/\/push\.example\.com\n/)
  assert.doesNotMatch(await docsAt({ host: 'a<b>' }), /<b>/)
})
