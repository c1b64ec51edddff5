import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { home, readSources, roomOf } from './source.ts'

/** The map of the house (ARCHITECTURE.md shows the same table): which room may import which. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  rules: [],
  domain: ['rules'],
  runtime: [],
  store: ['rules', 'domain', 'runtime'],
  intake: ['rules', 'domain', 'store', 'runtime'],
  providers: ['rules', 'domain', 'runtime'],
  http: ['rules', 'domain', 'store', 'intake', 'runtime'],
  delivery: ['rules', 'domain', 'store', 'intake', 'providers', 'runtime'],
  pipeline: ['rules', 'domain', 'store', 'intake', 'runtime'],
  sandbox: ['rules', 'runtime'],
  cli: [
    'rules',
    'domain',
    'runtime',
    'store',
    'intake',
    'delivery',
    'pipeline',
    'sandbox',
    'app',
    'api',
    'config',
  ],
  app: [
    'rules',
    'domain',
    'runtime',
    'store',
    'intake',
    'providers',
    'delivery',
    'pipeline',
    'sandbox',
    'config',
  ],
  api: [
    'rules',
    'domain',
    'runtime',
    'store',
    'intake',
    'providers',
    'http',
    'delivery',
    'pipeline',
    'sandbox',
    'config',
    'app',
  ],
  config: ['rules', 'runtime'],
  main: ['cli', 'config', 'runtime'],
}

/** One file may name a library; where a library is spread over a room by its nature, the room stands here. */
const LIBRARY_ROOMS: Readonly<Record<string, string>> = {
  'better-auth': 'http',
  esbuild: 'runtime',
  pg: 'store',
}

const sources = readSources('src/**/*.ts')
const webSources = [...readSources('web/**/*.ts'), ...readSources('web/**/*.tsx')]

test('every import stays within what its room may see', () => {
  const strays = sources.flatMap(({ path, imports }) =>
    imports
      .filter((target) => target.startsWith('src/'))
      .filter((target) => roomOf(target) !== roomOf(path))
      .filter((target) => !(MAY_IMPORT[roomOf(path)] ?? []).includes(roomOf(target)))
      .map((target) => `${path} imports ${target}`),
  )
  assert.deepEqual(strays, [])
})

test('api.ts is loaded when a command needs it, so no other command pays for the routes and their schemas', () => {
  const strays = sources.filter(({ text }) => /from '[./]*\/api\.ts'/.test(text))
  assert.deepEqual(
    strays.map(({ path }) => path),
    [],
  )
})

test('intake knows no HTTP: no request, reply, header or status', () => {
  const words = /\b(?:Reply|OpenRequest|TenantRequest|replySuccess|headers|status_code|statusCode)\b/
  const strays = sources.filter(
    ({ path, code, imports }) =>
      roomOf(path) === 'intake' && (words.test(code) || imports.some((name) => name.startsWith('node:http'))),
  )
  assert.deepEqual(
    strays.map(({ path }) => path),
    [],
  )
})

test('every noun of http has its rows in routes.ts, beside handlers, body.ts and view.ts', () => {
  const nouns = [
    'push',
    'subscriptions',
    'events',
    'people',
    'preferences',
    'segments',
    'templates',
    'journeys',
    'campaigns',
    'webhooks',
    'brand',
    'team',
  ]
  const paths = new Set(sources.map(({ path }) => path))
  const wanted = nouns.flatMap((noun) =>
    ['routes', noun, 'body', 'view'].map((name) => `src/http/${noun}/${name}.ts`),
  )
  assert.deepEqual(
    wanted.filter((path) => !paths.has(path)),
    [],
  )
  const strays = sources.filter(
    ({ path, code }) =>
      nouns.some((noun) => path.startsWith(`src/http/${noun}/`)) &&
      !path.endsWith('/routes.ts') &&
      /\b(?:Tenant|Open|Stream)?Route\b/.test(code),
  )
  assert.deepEqual(
    strays.map(({ path }) => path),
    [],
  )
})

test('what browsers get imports of the server only its rules', () => {
  const strays = webSources.flatMap(({ path, imports }) =>
    imports
      .filter((target) => !target.startsWith('web/') && !target.startsWith('src/rules/'))
      // The dashboard is bundled from libraries; what other people's pages load is all our own.
      .filter((target) => target.startsWith('src/') || !path.startsWith('web/dashboard/'))
      .map((target) => `${path} imports ${target}`),
  )
  assert.deepEqual(strays, [])
})

test('no file imports itself by way of others, so each can be read before what is built on it', () => {
  const importsOf = new Map([...sources, ...webSources].map(({ path, imports }) => [path, imports]))
  const circles = [...importsOf.keys()].filter((path) => reachedFrom(path, importsOf).has(path))
  assert.deepEqual(circles, [])
})

function reachedFrom(
  path: string,
  importsOf: ReadonlyMap<string, readonly string[]>,
  reached = new Set<string>(),
): ReadonlySet<string> {
  for (const target of importsOf.get(path) ?? []) {
    if (reached.has(target)) continue
    reached.add(target)
    reachedFrom(target, importsOf, reached)
  }
  return reached
}

test('every folder of src is a room on the map', () => {
  const rooms = new Set(sources.map(({ path }) => roomOf(path)).filter((room) => room !== 'platform'))
  assert.deepEqual(
    [...rooms].filter((room) => !(room in MAY_IMPORT)),
    [],
  )
})

test('a library is named in one file, or in the one room it is made for', () => {
  const users = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    for (const library of imports.filter((name) => !/^(?:src\/|node:)/.test(name))) {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(library)?.[0] ?? library
      users.set(name, (users.get(name) ?? new Set()).add(path))
    }
  }
  const spread = [...users].filter(([name, paths]) => {
    const room = LIBRARY_ROOMS[name]
    return room === undefined ? paths.size > 1 : [...paths].some((path) => roomOf(path) !== room)
  })
  assert.deepEqual(
    spread.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`),
    [],
  )
})

/** Libraries that no file imports: the peers of `@better-auth/passkey`, which npm installs only when they are named. */
const PEERS: ReadonlySet<string> = new Set([
  '@better-auth/core',
  '@better-auth/utils',
  '@better-fetch/fetch',
  'better-call',
  'nanostores',
])

test('every library is used, and has its reason in docs/decisions', () => {
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const reasons = readFileSync(join(home, 'docs/decisions/0001-dependencies.md'), 'utf8')
  const used = new Set([...sources, ...webSources].flatMap(({ imports }) => imports))
  for (const name of Object.keys(dependencies)) {
    const isUsed = [...used].some((target) => target === name || target.startsWith(`${name}/`))
    assert.ok(isUsed || PEERS.has(name), `${name} is installed and never imported`)
    assert.ok(reasons.includes(`\`${name}\``), `${name} has no line in docs/decisions/0001-dependencies.md`)
  }
})
