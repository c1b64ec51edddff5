import assert from 'node:assert/strict'
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
