import { withParts } from '../../../src/domain/team/scopes.ts'
import type { Route } from '../../../src/http/route.ts'
import { scopesOf } from '../../../src/http/route-scopes.ts'
import { ROUTES } from '../../../src/http/routes.ts'
import { KEY_KINDS, SCOPE_PARTS, SCOPES } from '../../../src/rules/brand.ts'
import { ADMINISTRATOR, TEAM_ROLE_NAMES, TEAM_ROLES, type TeamRole } from '../../../src/rules/team.ts'

type GuardedRoute = Exclude<Route, { readonly scopes: null }>

/** The rows that a member may be able to call: those for keys, without those for browsers. */
export const TEAM_ROUTES = ROUTES.filter(
  (route): route is GuardedRoute => route.scopes !== null && !route.scopes.some(isForBrowsers),
)

function isForBrowsers(scope: string): boolean {
  return KEY_KINDS.publishable.scopes.some((name) => name === scope)
}

/** docs/roles.md, from the tables of roles, scopes and routes; a test holds the file to it. */
export function renderRoles(): string {
  const roles = TEAM_ROLE_NAMES.map((name) => {
    const { summary, scopes } = TEAM_ROLES[name]
    return `| ${name} | ${summary} | ${codes(scopes)} |`
  })
  const scopes = Object.entries(SCOPES).map(([name, meaning]) => {
    const parts = Object.entries(SCOPE_PARTS).find(([whole]) => whole === name)?.[1] ?? []
    return `| \`${name}\` | ${meaning} | ${codes(parts)} |`
  })
  const rows = TEAM_ROUTES.map((route) => {
    const cells = TEAM_ROLE_NAMES.map((role) => (isOpenTo(route, role) ? 'yes' : '–'))
    return `| \`${route.method} ${route.path}\` | ${codes(scopesOf(route))} | ${cells.join(' | ')} |`
  })
  const own = ROUTES.filter(({ isForAdministrators }) => isForAdministrators === true).map(
    ({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`,
  )
  const administrators = [...ADMINISTRATOR_HEAD, ...own]
  return [...HEAD, ...roles, ...BETWEEN, ...scopes, ...administrators, ...ROUTE_HEAD, ...rows, ''].join('\n')
}

function isOpenTo(route: GuardedRoute, role: TeamRole): boolean {
  const has = withParts(TEAM_ROLES[role].scopes)
  return scopesOf(route).some((scope) => has.includes(scope))
}

function codes(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(' ')
}

const HEAD = [
  '# Roles and scopes',
  '',
  'A member of the team has one role in each brand, and an API key has scopes. A role is a list of scopes, so one table',
  'says what both may call. This page is rendered from `src/rules/team.ts`, `src/rules/brand.ts` and the route table;',
  'after a change there, run `npm run docs`. A test calls every endpoint in every role.',
  '',
  '| role | what for | scopes |',
  '|---|---|---|',
]

const BETWEEN = [
  '',
  'A caller makes keys with no more scopes than it has itself. A developer may also give `push` and `events`, which a',
  'new program needs. A launch by an author always asks for approval; an author changes no campaign that is scheduled and no',
  'journey that was ever active. Nobody approves their own request.',
  '',
  '| scope | meaning | includes |',
  '|---|---|---|',
]

const ADMINISTRATOR_HEAD = [
  '',
  `Beside the roles a member can be an administrator of the whole Beckon, who ${ADMINISTRATOR.summary}.`,
  'Only administrators call these:',
  '',
  '| endpoint | what it does |',
  '|---|---|',
]

const ROUTE_HEAD = [
  '',
  'The second column names the scopes of which one is enough. Endpoints for browsers, and those that need no key, are not listed.',
  '',
  `| endpoint | scopes | ${TEAM_ROLE_NAMES.join(' | ')} |`,
  `|---|---|${TEAM_ROLE_NAMES.map(() => '---|').join('')}`,
]
