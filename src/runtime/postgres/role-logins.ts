import { createHmac } from 'node:crypto'

/**
 * Marks the URL of the embedded server: its roles log in by themselves, with passwords that are derived from the
 * superuser's. A session then is its role and nobody else, while a session of the superuser that only switched to the
 * role could switch back. On the operator's own server (`DATABASE_URL`) the mark is missing, and sessions switch.
 */
const MARK = ['role_logins', 'derived'] as const

export function markRoleLogins(url: string): string {
  const marked = new URL(url)
  marked.searchParams.set(...MARK)
  return marked.href
}

/** The login of a role on a server with role logins, or null on another server. */
export function roleLogin(url: string, role: string): RoleLogin | null {
  const login = URL.parse(url)
  const [name, value] = MARK
  if (login?.searchParams.get(name) !== value) return null
  const password = createHmac('sha256', login.password).update(`beckon login ${role}`).digest('hex')
  login.username = role
  login.password = password
  return { url: login.href, password }
}

type RoleLogin = { readonly url: string; readonly password: string }
