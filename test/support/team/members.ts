import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../../src/http/deps.ts'
import { makeFirstLink, makeLink } from '../../../src/intake/team/links.ts'
import { inviteMember } from '../../../src/intake/team/members.ts'
import type { TeamRole } from '../../../src/rules/team.ts'
import { findMemberByEmail } from '../../../src/store/team/members.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, type Call, call, PUBLIC_URL, type RunningServer } from '../processes/server.ts'

export const PASSWORD = 'correct horse battery staple'
export const SESSION_COOKIE = '__Secure-beckon.session_token'

/** The pages of Beckon in one browser: it keeps cookies and sends its Origin. */
export class Page {
  readonly cookies = new Map<string, string>()
  readonly #server: Pick<RunningServer, 'port'>
  readonly #brand: TestBrand | null

  /** The port is read at each call, so that a test can let it change. */
  constructor(server: Pick<RunningServer, 'port'>, brand: TestBrand | null = null) {
    this.#server = server
    this.#brand = brand
  }

  async call({ headers = {}, ...request }: Call): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const brand = this.#brand === null ? {} : { 'x-brand-id': this.#brand.externalId }
    const answer = await call(this.#server.port, {
      ...request,
      headers: { origin: PUBLIC_URL, ...(cookie === '' ? {} : { cookie }), ...brand, ...headers },
    })
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) this.#keep(set)
    return answer
  }

  async post(path: string, body: object = {}): Promise<Answer> {
    return this.call({ method: 'POST', path, body })
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split('; ')
    const [name = '', ...value] = pair.split('=')
    if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name)
    else this.cookies.set(name, value.join('='))
  }
}

export type TestMember = { readonly id: string; readonly email: string; readonly page: Page }

export type MemberOptions = { readonly brand: TestBrand; readonly role?: TeamRole }

/** A server, and the database and the clock behind it. */
export type TeamServer = Pick<RunningServer, 'port'> & { readonly deps: Pick<Deps, 'database' | 'clock'> }

/** A member of a brand who has a password and is signed in. */
export async function addMember(
  server: TeamServer,
  { brand, role = 'owner' }: MemberOptions,
): Promise<TestMember> {
  const email = `${randomUUID()}@example.com`
  const { database, clock } = server.deps
  const invited = await inviteMember(database, {
    brandId: brand.brandId,
    email,
    name: 'Grace',
    role,
    now: clock.now(),
  })
  assert.ok(invited.ok)
  const { link, member } = invited.value
  assert.ok(link !== null)
  const page = new Page(server, brand)
  await redeem(page, link.token)
  return { id: member.id, email, page }
}

/** Uses a one-time link, as the form of its page does. */
export async function redeem(
  page: Page,
  token: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = new URLSearchParams({ password: PASSWORD, ...fields }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return page.call({ method: 'POST', path: `/auth/link/${token}`, headers, body })
}

export async function firstLink({ deps }: RunningServer): Promise<string> {
  const link = await makeFirstLink(deps.database, deps.clock.now())
  assert.ok(link !== null)
  return link.token
}

export async function linkFor({ deps }: RunningServer, email: string): Promise<string> {
  const { database, clock } = deps
  return database.asTeam(async (tx) => {
    const member = await findMemberByEmail(tx, email)
    assert.ok(member !== null)
    return (await makeLink(tx, { memberId: member.id, now: clock.now() })).token
  })
}
