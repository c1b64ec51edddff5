import { type Config, loadConfig } from '../config.ts'
import { linkUrl, makeFirstLink, makeLink, type NewLink } from '../intake/team/links.ts'
import { SIGN_IN } from '../rules/sign-in.ts'
import { TEAM_ROLE_NAMES, TEAM_ROLES, type TeamRole } from '../rules/team.ts'
import { StartError } from '../runtime/errors.ts'
import { newId } from '../runtime/secrets/crypto.ts'
import type { Database, Db } from '../store/db.ts'
import { loadMoment } from '../store/push/planning.ts'
import {
  deleteMember,
  ensureMember,
  findMemberByEmail,
  type ListedMember,
  listAllMembers,
  type Member,
} from '../store/team/members.ts'
import { addMembership, brandsOfLastOwner } from '../store/team/memberships.ts'
import { removeFactors } from '../store/team/passkeys.ts'
import { removeSessions } from '../store/team/sessions.ts'
import { publicUrl } from './banner.ts'
import { defineCommand } from './command.ts'
import { UsageError } from './exit.ts'
import { withDatabase } from './open-database.ts'
import { JSON_FLAG, type Listing, sayList } from './pages.ts'
import { instantText, say } from './terminal.ts'
import { liveBrand } from './with-brand.ts'

const EMAIL = { name: 'EMAIL', meaning: 'The e-mail address of the member.' } as const

export const memberLinkCommand = defineCommand({
  name: 'member link',
  summary: 'Prints a new one-time link for the first administrator.',
  about: [
    'It works while there is no member, and for a first administrator who opened Beckon without setting a password.',
    'The links of before are void.',
  ],
  flags: {},
  run: async () => {
    const config = loadConfig()
    const link = await withDatabase(config, async (database) =>
      makeFirstLink(database, await loadMoment(database)),
    )
    if (link === null)
      throw new StartError(
        'There are members already. A new link for one of them: bin/beckon member reset EMAIL.',
      )
    say(...linkLines(config, link, 'administers this Beckon'))
  },
})

export const memberAddCommand = defineCommand({
  name: 'member add',
  summary: 'Adds a member, in a brand or as an administrator, and prints a one-time link.',
  terms: {
    title: 'Roles:',
    rows: TEAM_ROLE_NAMES.map((role) => [role, TEAM_ROLES[role].summary] as const),
  },
  operands: [EMAIL],
  flags: {
    brand: { type: 'string', value: 'BRAND', meaning: 'The brand in which the member has a role.' },
    role: { type: 'string', value: 'ROLE', meaning: 'The role in that brand.' },
    name: { type: 'string', value: 'NAME', meaning: 'The name of the member.' },
    administrator: { type: 'boolean', meaning: 'The member also administers this Beckon: its brands.' },
  },
  examples: ['bin/beckon member add grace@example.com --brand acme --role editor'],
  run: async ({ brand, role, name = '', administrator: isAdministrator = false }, [email = '']) => {
    const draft = { id: newId(), email: parseEmail(email), name, isAdministrator }
    const config = loadConfig()
    const link = await withDatabase(config, async (database) => {
      const place = await parsePlace(database, brand, role)
      return database.asTeam(async (tx) => {
        const now = await loadMoment(tx)
        const { member, isNew } = await ensureMember(tx, { ...draft, now })
        const memberId = member.id
        const isInvited =
          place !== null && (await addMembership(tx, { ...place, memberId, now, isAccepted: false }))
        if (isInvited) return makeLink(tx, { memberId, brandId: place.brandId, now })
        return isNew ? makeLink(tx, { memberId, now }) : null
      })
    })
    if (link === null) say(`${email} was a member before, and signs in as before.`)
    else
      say(...linkLines(config, link, 'sets the password, or joins the brand with the account that there is'))
  },
})

export const memberListCommand = defineCommand({
  name: 'member list',
  summary: 'Lists the members with their brands and roles.',
  flags: { json: JSON_FLAG },
  run: async (flags) =>
    withDatabase(loadConfig(), async (database) => sayList(MEMBERS, memberPages(database), flags)),
})

export const memberResetCommand = defineCommand({
  name: 'member reset',
  summary: 'Ends all sessions of a member and prints a one-time link for a new password.',
  operands: [EMAIL],
  flags: {
    'without-second-factor': {
      type: 'boolean',
      meaning: 'Also removes the authenticator app and the passkeys, for a member who lost them.',
    },
  },
  run: async ({ 'without-second-factor': isBare = false }, [email = '']) => {
    const config = loadConfig()
    const link = await withMember(config, email, async (tx, member) => {
      await removeSessions(tx, member.id)
      if (isBare) await removeFactors(tx, member.id)
      return makeLink(tx, { memberId: member.id, now: await loadMoment(tx) })
    })
    say(...linkLines(config, link))
  },
})

export const memberRemoveCommand = defineCommand({
  name: 'member remove',
  summary: 'Deletes a member with sessions, passkeys and roles. Every process refuses the member at once.',
  operands: [EMAIL],
  flags: {},
  run: async (_, [email = '']) => {
    await withMember(loadConfig(), email, async (tx, member) => {
      const brands = await brandsOfLastOwner(tx, member.id)
      if (brands.length > 0)
        throw new StartError(
          `${email} is the last owner of ${brands.join(', ')}: make another member an owner first (bin/beckon member add).`,
        )
      await deleteMember(tx, member.id)
    })
    say(`${email} is removed.`)
  },
})

const PAGE_ROWS = 500

/** The members by address; the first page may be empty. */
async function* memberPages(database: Database): AsyncGenerator<readonly ListedMember[]> {
  let members = await listAllMembers(database.team, { after: '', limit: PAGE_ROWS })
  yield members
  for (let last = members.at(-1); last !== undefined; last = members.at(-1)) {
    members = await listAllMembers(database.team, { after: last.email, limit: PAGE_ROWS })
    yield members
  }
}

async function withMember<Value>(
  config: Config,
  email: string,
  work: (tx: Db, member: Member) => Promise<Value>,
): Promise<Value> {
  return withDatabase(config, async (database) =>
    database.asTeam(async (tx) => {
      const member = await findMemberByEmail(tx, email)
      if (member === null) throw new StartError(`There is no member ${email}: see bin/beckon member list.`)
      return work(tx, member)
    }),
  )
}

function linkLines(
  { publicUrl: url, host, port }: Config,
  link: NewLink,
  does = 'sets the password',
): readonly string[] {
  return [
    linkUrl(url ?? publicUrl(host, port), link),
    '',
    `The link works once, for ${SIGN_IN.linkHours} hours. Whoever opens it ${does}.`,
  ]
}

function parseEmail(email: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(email) && email.length <= SIGN_IN.emailCharsMax) return email
  throw new UsageError(`"${email}" is not an e-mail address`, 'member add')
}

type Place = { readonly brandId: number; readonly role: TeamRole }

async function parsePlace(
  database: Database,
  brand: string | undefined,
  role: string | undefined,
): Promise<Place | null> {
  if (brand === undefined && role === undefined) return null
  const known = TEAM_ROLE_NAMES.find((name) => name === role)
  if (brand === undefined || known === undefined)
    throw new UsageError(`--brand goes with --role, one of ${TEAM_ROLE_NAMES.join(', ')}`, 'member add')
  const { id: brandId } = await liveBrand(database, brand)
  return { brandId, role: known }
}

const MEMBERS: Listing<ListedMember> = {
  field: 'members',
  heading: ['EMAIL', 'NAME', 'STATE', 'ADMINISTRATOR', 'TWO FACTORS', 'BRANDS'],
  cells: ({ email, name, canSignIn, isAdministrator, hasTwoFactor, places }) => [
    email,
    name,
    stateOf(canSignIn),
    isAdministrator ? 'yes' : '',
    hasTwoFactor ? 'yes' : '',
    places.map(({ brand, role, isInvited }) => `${brand}:${role}${isInvited ? ':invited' : ''}`).join(' '),
  ],
  view: ({ id, email, name, canSignIn, isAdministrator, hasTwoFactor, places, createdAt }) => ({
    id,
    email,
    name,
    state: stateOf(canSignIn),
    administrator: isAdministrator,
    two_factor: hasTwoFactor,
    brands: places.map(({ brand, role, isInvited }) => ({
      brand_id: brand,
      role,
      state: stateOf(!isInvited),
    })),
    created_at: instantText(createdAt),
  }),
}

function stateOf(canSignIn: Member['canSignIn']): string {
  return canSignIn ? 'active' : 'invited'
}
