import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { loadScripts } from '../../src/http/pages/load-scripts.ts'
import { SCRIPT_NAMES } from '../../src/http/pages/scripts.ts'
import { SCRIPT_BYTES_MAX } from '../../src/rules/limits.ts'
import { SYSTEM_EVENTS } from '../../src/rules/system-events.ts'
import { call, startServer } from '../support/processes/server.ts'

const scripts = await loadScripts()
const server = await startServer({ deps: { scripts } })
after(server.close)

for (const name of SCRIPT_NAMES) {
  test(`200: /${name} for any site, short-lived, and 304 while it is the same`, async () => {
    const path = `/${name}`
    const { status, headers, text } = await call(server.port, { path })
    assert.equal(status, 200)
    assert.equal(text, Buffer.from(scripts[name].plain).toString())
    assert.match(String(headers['cache-control']), /^public, max-age=300\b/)
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    const etag = String(headers['etag'])
    const again = await call(server.port, { path, headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', etag])
  })

  test(`200 for ever: ${name} by its hash; an older hash leads to the newest`, async () => {
    const dot = name.indexOf('.')
    const hashed = (hash: string): string => `/${name.slice(0, dot)}.${hash}${name.slice(dot)}`
    const { status, headers } = await call(server.port, { path: hashed(scripts[name].hash) })
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
    const old = await call(server.port, { path: hashed('0123456789abcdef') })
    assert.deepEqual([old.status, old.headers['location']], [302, `/${name}`])
    assert.equal((await call(server.port, { path: hashed('nothing') })).status, 404)
  })
}

test('a script is sent zipped to whoever can read that', async () => {
  const response = await fetch(`http://127.0.0.1:${server.port}/sdk.js`, {
    headers: { 'accept-encoding': 'gzip' },
  })
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  assert.equal(response.headers.get('vary'), 'accept-encoding')
  assert.equal(await response.text(), gunzipSync(scripts['sdk.js'].gzip).toString())
})

for (const [name, bytesMax] of Object.entries(SCRIPT_BYTES_MAX)) {
  test(`${name} stays within ${bytesMax} bytes, zipped`, (context) => {
    const size = Object.entries(scripts).find(([known]) => known === name)?.[1].gzip.length ?? Infinity
    context.diagnostic(`${name}: ${size} of ${bytesMax} bytes`)
    assert.ok(size <= bytesMax, `${name} takes ${size} bytes`)
  })
}

test('docs/web-sdk.md has a row for every system event, as the rules have it', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'web-sdk.md'), 'utf8')
  for (const [event, { switch: part, attributes, when }] of Object.entries(SYSTEM_EVENTS)) {
    const words = attributes.map((attribute) => `\`${attribute}\``).join(', ')
    assert.ok(page.includes(`| \`${event}\` | ${when} | ${words} | \`${part}\` |`), event)
  }
})
