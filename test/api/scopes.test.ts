import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { scopesOf } from '../../src/http/route-scopes.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { KEY_KINDS, type KeyKind, type Scope } from '../../src/rules/brand.ts'
import { TEAM_ROLE_NAMES } from '../../src/rules/team.ts'
import { SITE, webBrand } from '../support/people/visitors.ts'
import { call, keyHeaders, PUBLIC_URL, startServer } from '../support/processes/server.ts'
import { TEAM_ROUTES } from '../support/reference/roles-page.ts'
import { addMember } from '../support/team/members.ts'

const server = await startServer()
after(server.close)
const nameOf = ({ method, path }: Route): string => `${method} ${path}`

for (const kind of ['secret', 'publishable'] as const) {
  for (const scope of [...KEY_KINDS[kind].scopes, ...KEY_KINDS[kind].parts]) {
    test(`a ${kind} key with the scope ${scope} alone is refused by every row of another scope`, async () => {
      const key = await makeKey(kind, scope)
      const guarded = ROUTES.filter((route) => route.scopes !== null)
      const mine = guarded.filter((route) => scopesOf(route).includes(scope))
      assert.deepEqual(await namesOpenTo(bearer(key), guarded), mine.map(nameOf))
    })
  }
}

test('a read scope opens the rows of its scope that change nothing, and no row that changes anything', async () => {
  const reads = KEY_KINDS.secret.parts.filter((scope) => scope.endsWith(':read'))
  assert.equal(reads.length, 8)
  for (const scope of reads) {
    const whole = scope.replace(':read', '')
    const rows = ROUTES.filter((route) => route.scopes !== null && scopesOf(route).includes(scope))
    assert.deepEqual(rows.filter(({ method, isRead }) => method !== 'GET' && isRead !== true).map(nameOf), [])
    const halves = ROUTES.filter(
      (route) =>
        route.method === 'GET' &&
        route.readScopes === undefined &&
        route.scopes?.some((one) => one === whole),
    )
    assert.deepEqual(
      halves.filter((route) => !rows.includes(route)),
      [],
    )
  }
})

test('posts that count as reads are these', () => {
  const posts = ROUTES.filter(({ isRead }) => isRead === true)
  assert.deepEqual(posts.map(nameOf).toSorted(), [
    'POST /api/v1/campaigns/explain',
    'POST /api/v1/campaigns/{campaign_id}/explain',
    'POST /api/v1/events/funnel',
    'POST /api/v1/events/funnel/people',
    'POST /api/v1/events/query',
    'POST /api/v1/journeys/validate',
    'POST /api/v1/journeys/{journey_id}/dry_run',
    'POST /api/v1/segments/preview',
    'POST /api/v1/segments/preview/members',
    'POST /api/v1/templates/preview',
    'POST /api/v1/templates/{template_id}/preview',
    'POST /api/v1/user/count',
    'POST /api/v1/user/profile',
    'POST /api/v1/user/userdata',
    'POST /api/v1/users/search',
  ])
})

for (const [at, role] of TEAM_ROLE_NAMES.entries()) {
  test(`the role ${role} calls the rows that docs/roles.md says, and no other`, async () => {
    const brand = await webBrand(server)
    const { page } = await addMember(server, { brand, role })
    const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, origin: PUBLIC_URL, 'x-brand-id': brand.externalId }
    const open = await namesOpenTo(headers, TEAM_ROUTES)
    const cells = readCells()
    assert.deepEqual([...cells.keys()], TEAM_ROUTES.map(nameOf))
    assert.deepEqual(
      open,
      [...cells].flatMap(([name, row]) => (row[at] === 'yes' ? [name] : [])),
    )
  })
}

test('an analyst changes nothing, a developer sees nobody, an author sends nothing', () => {
  const cells = readCells()
  const openTo = (role: (typeof TEAM_ROLE_NAMES)[number]): readonly string[] =>
    [...cells].flatMap(([name, row]) => (row[TEAM_ROLE_NAMES.indexOf(role)] === 'yes' ? [name] : []))
  const reads = ROUTES.filter(({ method, isRead }) => method === 'GET' || isRead === true).map(nameOf)
  assert.deepEqual(
    openTo('analyst').filter((name) => !reads.includes(name)),
    [],
  )
  const people =
    /user|visitor|subscription|segments|notifications|deliver|people|messages$|message_id\}$|preferences|explain|export|tail|rejected|sandbox/
  assert.deepEqual(
    openTo('developer').filter((name) => people.test(name)),
    [],
  )
  assert.deepEqual(
    openTo('author').filter((name) => !reads.includes(name) && !DRAFTING.test(name)),
    [],
  )
  assert.ok(openTo('owner').length === cells.size, 'an owner calls every row')
})

const DRAFTING =
  /^(POST|PATCH) \/api\/v1\/(campaigns|templates|snippets|segments|journeys)(\/\{\w+\}(\/(duplicate|dry_run|launch))?)?$/

test('without a key, only rows that say so answer', async () => {
  const closed = ROUTES.filter(({ scopes }) => scopes !== null)
  const statuses = await Promise.all(closed.map(async (route) => ask(route, bearer('bk_secret_nothing'))))
  assert.deepEqual([...new Set(statuses)], [401])
  const open = ROUTES.filter(
    ({ scopes, method, path, isForMembers }) =>
      scopes === null && method !== 'GET' && isForMembers !== true && !path.startsWith('/auth/'),
  )
  assert.deepEqual(
    open.map(({ path }) => path),
    ['/api/v1/receipts', '/preferences/{token}'],
  )
})

type Headers = Readonly<Record<string, string>>

function bearer(key: string): Headers {
  return { authorization: `Bearer ${key}` }
}

/** The cells of the table of endpoints in docs/roles.md, by endpoint. */
function readCells(): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/roles.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z]+ \/[^`]*)` \| [^|]+ \| (.+) \|$/gm)]
  return new Map(rows.map(([, name = '', cells = '']) => [name, cells.split(' | ')]))
}

async function namesOpenTo(headers: Headers, routes: readonly Route[]): Promise<readonly string[]> {
  const statuses = await Promise.all(routes.map(async (route) => ask(route, headers)))
  return routes.filter((_, at) => statuses[at] !== 403).map(nameOf)
}

/** A brand of its own for each key, because an open row is really called. */
async function makeKey(kind: KeyKind, scope: Scope): Promise<string> {
  const headers = keyHeaders(await webBrand(server))
  const body = { kind, scopes: [scope] }
  const answer = await call(server.port, { path: '/api/v1/brand/keys', headers, body })
  assert.equal(answer.status, 200, answer.text)
  return String(Object(answer.body['key'])['api_key'])
}

/** The status alone: some rows answer without end. No row has the id in the address. */
async function ask({ method, path, cors }: Route, headers: Headers): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const origin = cors === undefined ? {} : { origin: SITE }
  const request = send(
    {
      host: '127.0.0.1',
      port: server.port,
      method,
      path: path.replaceAll(/\{\w+\}/g, '999999'),
      headers: { ...headers, ...origin },
      agent: false,
    },
    (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    },
  )
  request.on('error', reject).end()
  return promise
}
