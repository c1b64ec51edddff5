import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeSettings, HOME } from '../../src/config.ts'
import { curlLine } from '../../src/http/reference/curl.ts'
import { fieldLines } from '../../src/http/reference/fields.ts'
import { html, prose } from '../../src/http/reference/html.ts'
import { operationId } from '../../src/http/reference/openapi.ts'
import { renderDocs } from '../../src/http/reference/page.ts'
import { replySuccess } from '../../src/http/reply.ts'
import type { Route } from '../../src/http/route.ts'
import { Type } from '../../src/http/schema/schema.ts'
import { CALLER_VARIABLES } from '../../src/rules/caller-variables.ts'

const ROUTE: Route = {
  method: 'POST',
  path: '/api/v1/{platform}/send',
  group: 'Push <b>',
  summary: 'Sends & more',
  description: 'With `code` and <script>alert(1)</script>.',
  scopes: ['push'],
  body: 'json',
  isIdempotent: true,
  rateLimit: 'push',
  bodySchema: Type.Object({
    id: {
      oneOf: [
        { type: 'integer', format: 'int64', minimum: 0, maximum: 9_223_372_036_854_775_807n },
        { type: 'string' },
      ],
    },
    steps: Type.Optional(
      Type.Array(Type.Object({ wait: Type.Boolean({ description: 'Waits.' }) }), { maxItems: 3 }),
    ),
    kind: Type.Enum(['a', 'b']),
    zone: Type.Union([Type.String({ maxLength: 5 }), Type.Null()]),
  }),
  example: { id: 9_007_199_254_740_993n, text: "it's" },
  handler: async () => replySuccess({}),
}

test('whatever a row says is text on the page, never markup', () => {
  const page = renderDocs([ROUTE])
  assert.ok(!page.includes('<script>'))
  assert.ok(!page.includes('Push <b>'))
  assert.ok(page.includes('Sends &#38; more'))
})

test('html escapes what it is given, once', () => {
  assert.equal(
    html`<p title="${`"'<&`}">${[html`<b>${'<'}</b>`, '>']}</p>`.markup,
    '<p title="&#34;&#39;&#60;&#38;"><b>&#60;</b>&#62;</p>',
  )
  assert.equal(prose('a `b<` c').markup, 'a <code>b&#60;</code> c')
})

test('nested fields stand after the one that holds them', () => {
  assert.deepEqual(
    fieldLines(ROUTE.bodySchema).map(
      ({ name, type, isRequired }) => `${name}: ${type}${isRequired ? '!' : ''}`,
    ),
    [
      'id: int64 or string!',
      'steps: list of object',
      'steps[].wait: boolean!',
      'kind: string!',
      'zone: string or null!',
    ],
  )
  assert.deepEqual(
    fieldLines(ROUTE.bodySchema).map(({ about }) => about),
    ['', 'At most 3 items.', 'Waits.', 'One of `a`, `b`.', 'At most 5 characters.'],
  )
})

test('the curl line survives quotes and keeps integers exact', () => {
  assert.equal(
    curlLine(ROUTE),
    String.raw`curl "$BECKON_URL/api/v1/<platform>/send" \
  -H "x-api-key: $BECKON_KEY" \
  -H "x-brand-id: $BECKON_BRAND" \
  -H "idempotency-key: $(od -An -N8 -tx1 /dev/urandom | tr -d ' ')" \
  -H 'content-type: application/json' \
  -d '{"id":9007199254740993,"text":"it'\''s"}'`,
  )
})

test('the curl line of a list says what the list is, and names what the query must hold', () => {
  const list: Route = {
    ...ROUTE,
    path: '/import',
    scopes: ['push'],
    body: 'stream',
    bodyTypes: ['text/csv', 'application/x-ndjson'],
    querySchema: Type.Object({ list: Type.String(), platform: Type.Optional(Type.String()) }),
  }
  const line = curlLine(list)
  assert.ok(line.startsWith('curl "$BECKON_URL/import?list=<list>" '), line)
  assert.ok(line.endsWith("-H 'content-type: text/csv' \\\n  --data-binary @FILE"), line)
})

test('an operation is named by its address', () => {
  assert.equal(operationId(ROUTE), 'postApiV1PlatformSend')
  assert.equal(operationId({ method: 'GET', path: '/' }), 'getRoot')
})

test('the calls of the README and the docs use the same few variables, and none of them is a setting', () => {
  const known: readonly string[] = Object.values(CALLER_VARIABLES)
  const settings = describeSettings().map(({ name }) => name)
  assert.deepEqual(
    known.filter((name) => settings.includes(name)),
    [],
  )
  for (const page of globSync(['README.md', 'docs/*.md'], { cwd: HOME })) {
    const text = readFileSync(join(HOME, page), 'utf8')
    const used = [...text.matchAll(/\$\{?([A-Z_]*(?:BECKON|KEY|URL|BRAND)[A-Z_]*)|^export ([A-Z_]+)=/gm)].map(
      ([, read, set]) => read ?? set,
    )
    for (const name of used) assert.ok(known.includes(name ?? ''), `${page}: ${name}`)
  }
})
