import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeSettings, HOME } from '../../src/config.ts'
import { renderGroup } from '../../src/http/reference/api-pages.ts'
import { curlLine } from '../../src/http/reference/curl.ts'
import { fieldLines } from '../../src/http/reference/fields.ts'
import { groupsOf } from '../../src/http/reference/groups.ts'
import { html, prose } from '../../src/http/reference/html.ts'
import { renderMarkdown } from '../../src/http/reference/markdown.ts'
import { operationId } from '../../src/http/reference/openapi.ts'
import { COMPONENTS } from '../../src/http/reference/openapi-components.ts'
import { prettyJson } from '../../src/http/reference/pretty-json.ts'
import { sampleReply } from '../../src/http/reference/sample.ts'
import { replySuccess } from '../../src/http/reply.ts'
import type { Route } from '../../src/http/route.ts'
import { ENDPOINTS } from '../../src/http/routes.ts'
import { parseBody, Type } from '../../src/http/schema/schema.ts'
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
  const page = groupsOf([ROUTE])
    .map((group) => renderGroup(group).markup)
    .join('')
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

test('a long body of a curl line has several lines, which are one argument', () => {
  const line = curlLine({
    ...ROUTE,
    example: { title: 'A title of some length', message: "It's a message of some length" },
  })
  assert.ok(
    line.endsWith(String.raw`-d '{
    "title": "A title of some length",
    "message": "It'\''s a message of some length"
  }'`),
    line,
  )
})

test('JSON for readers keeps short things on one line, and integers exact', () => {
  const value = { id: 9_007_199_254_740_993n, list: [{ a: 1 }, []], text: 'x'.repeat(60) }
  assert.equal(
    prettyJson(value),
    `{\n  "id": 9007199254740993,\n  "list": [{ "a": 1 }, []],\n  "text": "${'x'.repeat(60)}"\n}`,
  )
})

test('the sample reply of every endpoint is one that its schema allows', () => {
  const groups = Map.groupBy(ENDPOINTS, ({ group }) => group)
  for (const route of ENDPOINTS) {
    const sample = sampleReply(route, groups.get(route.group) ?? [])
    if (sample === null) continue
    const parsed = parseBody({ ...(route.reply ?? Type.Object({})), components: COMPONENTS }, sample)
    assert.ok(parsed.ok, `${route.method} ${route.path}: ${JSON.stringify(parsed)}`)
  }
})

test('Markdown becomes our own markup: raw HTML is text, and only addresses of the site and of the web are links', () => {
  const links = {
    ofFile: (href: string) => (href === 'push.md#a' ? '/docs/guides/push#a' : null),
    ofCode: (code: string) => (code === 'GET /x' ? '/docs/api/x' : null),
    labelOf: () => null,
  }
  const text = [
    '# A *title*',
    '<script>alert(1)</script>',
    'An <b>inline</b> `a<b` & `GET /x`, [a guide](push.md#a), [a file](../src/x.ts), [bad](javascript:alert), <https://example.com>.',
    '## Quiet `hours`?',
    '| a | b |\n|---|---|\n| `x\\|y` | 1 |',
    '```sh\ncurl http://127.0.0.1:8080/ "<x>"\n```',
    '1. one\n2. two',
  ].join('\n\n')
  const { title, body, sections } = renderMarkdown(text, links)
  assert.equal(title, 'A title')
  assert.doesNotMatch(body.markup, /<script|<b>|javascript:|x\.ts"/)
  assert.ok(body.markup.includes('&#60;script&#62;alert(1)'))
  assert.ok(
    body.markup.includes(
      '<a href="/docs/guides/push#a">a guide</a>, a file, bad, <a href="https://example.com">',
    ),
  )
  assert.ok(body.markup.includes('<code>a&#60;b</code>'))
  assert.match(body.markup, /<a href="\/docs\/api\/x"><code>GET \/x<\/code><\/a>/)
  assert.ok(
    body.markup.includes(
      '<h2 id="quiet-hours"><a class="anchor" href="#quiet-hours">Quiet <code>hours</code>?</a></h2>',
    ),
  )
  assert.ok(body.markup.includes('<td><code>x|y</code></td><td>1</td>'))
  assert.ok(body.markup.includes('curl \u0000/ &#34;&#60;x&#62;&#34;'))
  assert.ok(body.markup.includes('<ol start="1"><li>one</li><li>two</li></ol>'))
  assert.deepEqual(
    sections.map(({ id, heading }) => [id, heading]),
    [
      [null, 'A title'],
      ['quiet-hours', 'Quiet hours?'],
    ],
  )
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
