import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { DEMO_USER } from '../../src/rules/brand.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/no-undo.md'), 'utf8')
const [FINAL = '', UNDOABLE = ''] = PAGE.split('## Calls that can be undone')
const WRITES = ROUTES.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/'))

const server = await startServer()
after(server.close)

test('docs/no-undo.md has every call that writes, in one of its two tables', () => {
  for (const route of WRITES) {
    const isFinal = rowsOf(FINAL).has(nameOf(route))
    assert.notEqual(isFinal, rowsOf(UNDOABLE).has(nameOf(route)), nameOf(route))
  }
})

test('no misspelt field of a call that cannot be undone passes in silence', async () => {
  const brand = await server.brand()
  await seedSubscriptions(server.deps.database, { brandId: brand.brandId, userId: DEMO_USER })
  const checked = WRITES.filter(
    (route) => rowsOf(FINAL).has(nameOf(route)) && route.cors === undefined && !route.path.includes('{'),
  )
  let count = 0
  for (const { method, path, example } of checked) {
    for (const { name, body } of misspellings(example ?? {})) {
      const { status, text } = await call(server.port, { method, path, headers: keyHeaders(brand), body })
      assert.ok(status >= 400 || text.includes(name), `${method} ${path} ${name}: ${status} ${text}`)
      count += 1
    }
  }
  assert.ok(count > 40, `${count} fields`)
})

/** The calls of a table; a `{platform}` stands for each of them, and `…/x` for the end of the same path. */
function rowsOf(table: string): ReadonlySet<string> {
  const calls: string[] = []
  for (const [, cell = ''] of table.matchAll(/^\| (`(?:POST|PUT|PATCH|DELETE) .+?) \|/gm)) {
    let [method, path] = ['', '']
    for (const [, words = ''] of cell.matchAll(/`([^`]+)`/g)) {
      const [first = '', second] = words.split(' ')
      if (second !== undefined) [method, path] = [first, second]
      else path = `${path.slice(0, path.lastIndexOf('/'))}${first.slice(1)}`
      calls.push(`${method} ${path}`)
      if (second === undefined && first === '…/broadcast/all') path = path.replace('/broadcast/all', '/x')
    }
  }
  const platforms = ['android', 'ios', 'web']
  return new Set(calls.flatMap((name) => platforms.map((platform) => name.replace('{platform}', platform))))
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

/** The body with one field misspelt at a time, also inside the entries of `nv`. */
function misspellings(example: object): readonly { readonly name: string; readonly body: object }[] {
  const own = Object.keys(example).map((name) => ({ name: `${name}q`, body: renamed(example, name) }))
  const entries: unknown = Reflect.get(example, 'nv')
  if (!Array.isArray(entries)) return own
  const [entry = {}] = entries
  const inside = Object.keys(Object(entry)).map((name) => ({
    name: `${name}q`,
    body: { ...example, nv: [renamed(Object(entry), name)] },
  }))
  return [...own, ...inside]
}

function renamed(body: object, name: string): object {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key === name ? `${key}q` : key, value]),
  )
}
