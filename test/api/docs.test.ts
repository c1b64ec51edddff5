import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { HOME } from '../../src/config.ts'
import { loadDemo } from '../../src/http/pages/load-demo.ts'
import { loadDocs } from '../../src/http/pages/load-docs.ts'
import { groupsOf } from '../../src/http/reference/groups.ts'
import { GUIDE_SECTIONS } from '../../src/http/reference/guide-list.ts'
import { ENDPOINTS } from '../../src/http/routes.ts'
import { ERRORS } from '../../src/rules/errors.ts'
import { addressOf, type Find, search } from '../../web/docs/search.ts'
import { type Answer, call, startServer } from '../support/processes/server.ts'

const docs = await loadDocs()
const server = await startServer({ deps: { docs, demo: await loadDemo() } })
after(server.close)

const GUIDES = GUIDE_SECTIONS.flatMap(({ guides }) => guides)

async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return call(server.port, { path, headers })
}

for (const { name, path, routes } of groupsOf(ENDPOINTS)) {
  test(`200 on ${path} shows every endpoint of ${name}, with a line to paste at this address and a sample reply`, async () => {
    const { status, text, headers } = await get(path)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    const words = textOf(text)
    for (const route of routes) {
      assert.ok(words.includes(route.summary), route.summary)
      assert.ok(words.includes(`${route.method} ${route.path}`), route.path)
    }
    const lines = text.split('<div class="try">').slice(1)
    assert.equal(lines.length, routes.length)
    for (const line of lines) {
      assert.ok(textOf(line).includes(`"http://127.0.0.1:${server.port}/`), line.slice(0, 200))
      assert.match(line, /<button class="copy"/)
    }
    const samples = [...text.matchAll(/<h3>Reply <span class="quiet">200/g)].length
    assert.equal(samples, routes.filter(({ replyType }) => isJson(replyType)).length)
  })
}

for (const { name, file } of GUIDES) {
  test(`200 on /docs/guides/${name} is ${file} as a page, and nothing in it is raw`, async () => {
    const { status, text } = await get(`/docs/guides/${name}`)
    assert.equal(status, 200)
    const [, title = ''] = /^# (.+)$/m.exec(docs.guides.get(name) ?? '') ?? []
    assert.ok(textOf(text).includes(title.replaceAll('`', '')), title)
    const blocks = [...(docs.guides.get(name) ?? '').matchAll(/^```\w+$/gm)].length
    assert.ok([...text.matchAll(/<button class="copy"/g)].length >= blocks)
    assert.doesNotMatch(text, /\]\(|```|<p>\|/)
  })
}

test('every page of docs/ is served, the list of errors as a page of its own', () => {
  const served = new Set(GUIDES.map(({ file }) => basename(file)))
  const missing = globSync('docs/*.md', { cwd: HOME }).filter((file) => !served.has(basename(file)))
  assert.deepEqual(missing, ['docs/errors.md'], 'a new page belongs in src/http/reference/guide-list.ts')
})

test('/docs/api/errors has every code, and /docs/api/events the fields of what may stand alone or in a list', async () => {
  const { text } = await get('/docs/api/errors')
  for (const code of Object.keys(ERRORS)) assert.ok(text.includes(` id="error-${code}"`), code)
  const events = (await get('/docs/api/events')).text + (await get('/docs/api/profiles')).text
  for (const field of ['nv.user_params', 'nv.context.utm.ad_id', 'nv[].user_attributes']) {
    assert.ok(events.includes(`>${field}<`), field)
  }
})

test('from /docs every page of the docs is reached, and every link on them leads somewhere', async () => {
  const pages = new Map<string, Answer>()
  const links: { readonly from: string; readonly path: string; readonly hash: string }[] = []
  const waiting = ['/docs']
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const answer = await get(from)
    pages.set(from, answer)
    if (!from.startsWith('/docs') || !String(answer.headers['content-type']).startsWith('text/html')) continue
    for (const [, href = ''] of answer.text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?:|data:)/.test(href)) continue
      const [path = '', hash = ''] = href.split('#')
      links.push({ from, path: path || from, hash })
      if (path !== '' && !pages.has(path) && !waiting.includes(path)) waiting.push(path)
    }
  }
  const dead = links.filter(({ path, hash }) => {
    const page = pages.get(path)
    return page?.status !== 200 || (hash !== '' && !page.text.includes(` id="${hash}"`))
  })
  assert.deepEqual(dead, [])
  for (const { path } of groupsOf(ENDPOINTS)) assert.ok(pages.has(path), path)
  for (const { name } of GUIDES) assert.ok(pages.has(`/docs/guides/${name}`), name)
})

test('the search finds a heading, an endpoint, a field and an error code, and the parts of the old single page', async () => {
  const { text, headers } = await get('/docs/search.json')
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  const lines: readonly Find[] = JSON.parse(text)
  const first = (query: string): string | undefined => search(lines, query)[0]?.h
  assert.equal(first('quiet hours'), '/docs/guides/preferences#quiet-hours')
  assert.equal(first('field_missing'), '/docs/api/errors#error-field_missing')
  assert.equal(first('/api/v1/explain'), '/docs/api/journeys#getApiV1Explain')
  assert.ok(search(lines, 'collapse_id').some(({ h }) => h === '/docs/api/sandbox#getSandboxInbox'))
  assert.deepEqual(search(lines, 'no text has this word: xyzzy'), [])
  assert.deepEqual(search(lines, '  '), [])
  assert.equal(addressOf(lines, '#error-not_found'), '/docs/api/errors#error-not_found')
  assert.equal(addressOf(lines, '#postApiEvent'), '/docs/api/events#postApiEvent')
  assert.equal(addressOf(lines, '#group-push'), '/docs/api/push')
  assert.equal(addressOf(lines, '#authentication'), '/docs/api/basics#authentication')
  assert.equal(addressOf(lines, '#nothing-of-the-kind'), null)
})

for (const path of ['/docs', '/docs/api/push', '/docs/guides/web-sdk']) {
  test(`${path} loads files of this Beckon alone, has no script or style in it, and is kept by its ETag`, async () => {
    const { text, headers } = await get(path)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(text, /<style|<script(?! src="\/docs\/)|\sstyle=|\son\w+=/)
    const again = await get(path, { 'if-none-match': String(headers['etag']) })
    assert.deepEqual([again.status, again.text], [304, ''])
    const zipped = await fetch(`http://127.0.0.1:${server.port}${path}`)
    assert.equal(zipped.headers.get('content-encoding'), 'gzip')
    assert.equal(await zipped.text(), text)
  })
}

test('the files of the docs have their hash in the address and are kept for ever; another hash is 404', async () => {
  const { text } = await get('/docs')
  const css = gunzipSync(docs.style.gzip).toString()
  const paths = [...(text + css).matchAll(/\/docs\/\w+\.[\da-f]{16}\.\w+/g)].map(([path]) => path)
  assert.deepEqual(new Set(paths.map((path) => path.split('.').at(-1))), new Set(['css', 'js', 'woff2']))
  for (const path of paths) {
    const { status, headers } = await get(path)
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=31536000, immutable'], path)
    const [stem = '', , type = ''] = path.split('.')
    assert.equal((await get(`${stem}.0123456789abcdef.${type}`)).status, 404)
  }
})

test('404 with the contents for a page that is not on the list, whatever its name looks like', async () => {
  for (const name of ['nothing', 'errors', '..%2F..%2Fpackage.json', '%2e%2e%2fREADME.md', 'constructor']) {
    for (const part of ['guides', 'api']) {
      if (part === 'api' && name === 'errors') continue
      const { status, text } = await get(`/docs/${part}/${name}`)
      assert.equal(status, 404, name)
      assert.match(text, /There is no page at this address/)
      assert.ok(!text.includes('"dependencies"'))
    }
  }
})

test('the docs name the address at which they were opened, and nothing of it is markup', async () => {
  const at = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
    textOf((await get(path, headers)).text)
  const own = `export BECKON_URL=http://127.0.0.1:${server.port}`
  assert.ok((await at('/docs/api/basics')).includes(`${own}\n`))
  assert.ok((await at('/docs/guides/start')).includes(`${own} BECKON_BRAND=demo`))
  const behindProxy = { host: 'push.example.com', 'x-forwarded-proto': 'https' }
  assert.match(await at('/docs/api/basics', behindProxy), /export BECKON_URL=https:\/\/push\.example\.com\n/)
  assert.doesNotMatch((await get('/docs', { host: 'a<b>' })).text, /<b>/)
})

test('the docs have the colours of the dashboard, in both themes', () => {
  const [light = '', dark = ''] = read('web/dashboard/look.css').split('[data-mantine-color-scheme')
  const tokens = [...read('web/look/tokens.css').matchAll(/(--[\w-]+): light-dark\((#\w+), (#\w+)\);/g)]
  const shared = tokens.filter(([, name = '']) => name !== '--edge')
  assert.ok(shared.length > 10)
  for (const [, name = '', day, night] of shared) {
    assert.deepEqual([day, night], [colourOf(light, name), colourOf(dark, name)], name)
  }
})

test('/demo has the colours and the typeface of the docs', async () => {
  const [page, demo] = [await get('/demo'), await get('/demo/demo.css')]
  assert.match(String(page.headers['content-security-policy']), /font-src 'self'/)
  const [tokens = ''] = /:root \{[^}]+\}/.exec(gunzipSync(docs.style.gzip).toString()) ?? []
  assert.match(tokens, /--signal:/)
  assert.ok(demo.text.includes(tokens))
  assert.ok(demo.text.includes(`/docs/inter.${docs.font.hash}.woff2`))
})

function colourOf(sheet: string, name: string): string | undefined {
  return new RegExp(`${name}: (#[\\da-f]+);`).exec(sheet)?.[1]
}

function read(file: string): string {
  return readFileSync(join(HOME, file), 'utf8')
}

function isJson(type: string | readonly string[] | undefined): boolean {
  return type === undefined || String(type).startsWith('application/x-ndjson')
}

/** The text that a reader sees: without tags, in one spelling. */
function textOf(page: string): string {
  return page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}
