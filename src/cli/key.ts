import { KEY_KINDS, type KeyKind, SCOPES, type Scope } from '../rules/brand.ts'
import { StartError } from '../runtime/errors.ts'
import { type ApiKey, createKey, listKeys, revokeKey } from '../store/brand/api-keys.ts'
import { loadMoment } from '../store/push/planning.ts'
import { defineCommand } from './command.ts'
import { UsageError } from './exit.ts'
import { newKey } from './first-brand.ts'
import { JSON_FLAG, type Listing, pagesById, sayList } from './pages.ts'
import { instantText, say } from './terminal.ts'
import { withBrand } from './with-brand.ts'

const BRAND = { name: 'BRAND', meaning: 'The id of the brand (bin/beckon brand list).' } as const

export const keyCreateCommand = defineCommand({
  name: 'key create',
  summary: 'Creates an API key of a brand and prints it once.',
  about: [
    `A secret key is for servers. Without --scope it has all scopes: ${KEY_KINDS.secret.scopes.join(', ')}. A publishable key is for web pages and has only ${KEY_KINDS.publishable.scopes.join(' and ')}.`,
  ],
  terms: { title: 'Scopes:', rows: Object.entries(SCOPES) },
  operands: [BRAND],
  flags: {
    publishable: { type: 'boolean', meaning: 'Creates a publishable key instead of a secret key.' },
    scope: {
      type: 'string',
      value: 'SCOPE',
      meaning: 'A scope of the key; repeat the flag for several.',
      multiple: true,
    },
    label: { type: 'string', value: 'TEXT', meaning: 'A label for bin/beckon key list.' },
  },
  examples: [
    'bin/beckon key create acme --label shop',
    'bin/beckon key create acme --scope events --scope profiles',
  ],
  run: async ({ publishable, scope, label = '' }, [externalId = '']) => {
    const kind: KeyKind = publishable === true ? 'publishable' : 'secret'
    const scopes = parseScopes(kind, scope)
    const plaintext = newKey(kind)
    const key = await withBrand(externalId, async (database, brand) =>
      createKey(database, {
        brandId: brand.id,
        kind,
        plaintext,
        scopes,
        label,
        now: await loadMoment(database),
      }),
    )
    say(plaintext, '', `Key ${key.id} of ${externalId} may: ${scopes.join(', ')}. It is shown this once.`)
  },
})

export const keyListCommand = defineCommand({
  name: 'key list',
  summary: 'Lists the keys of a brand, revoked ones too. A key itself is never shown again.',
  operands: [BRAND],
  flags: { json: JSON_FLAG },
  run: async (flags, [externalId = '']) =>
    withBrand(externalId, async (database, brand) =>
      sayList(
        KEYS,
        pagesById(async (page) => listKeys(database, { brandId: brand.id, ...page })),
        flags,
      ),
    ),
})

export const keyRevokeCommand = defineCommand({
  name: 'key revoke',
  summary: 'Revokes a key for good. Every process refuses it at once.',
  operands: [BRAND, { name: 'NUMBER', meaning: 'The number of the key (bin/beckon key list BRAND).' }],
  flags: {},
  examples: ['bin/beckon key revoke acme 3'],
  run: async (_, [externalId = '', number = '']) => {
    if (!/^\d{1,9}$/.test(number))
      throw new UsageError(`"${number}" is not the number of a key`, 'key revoke')
    const isRevoked = await withBrand(externalId, async (database, brand) =>
      revokeKey(database, { brandId: brand.id, keyId: Number(number), now: await loadMoment(database) }),
    )
    if (!isRevoked)
      throw new StartError(
        `Brand ${externalId} has no live key ${number}: see bin/beckon key list ${externalId}.`,
      )
    say(`Key ${number} of ${externalId} is revoked.`)
  },
})

function parseScopes(kind: KeyKind, asked: readonly string[] | undefined): readonly Scope[] {
  if (asked === undefined) return KEY_KINDS[kind].scopes
  const allowed: readonly Scope[] = [...KEY_KINDS[kind].scopes, ...KEY_KINDS[kind].parts]
  const unknown = asked.find((scope) => !allowed.some((name) => name === scope))
  if (unknown === undefined) return allowed.filter((scope) => asked.includes(scope))
  throw new UsageError(
    `A ${kind} key cannot have the scope "${unknown}", only ${allowed.join(', ')}`,
    'key create',
  )
}

const KEYS: Listing<ApiKey> = {
  field: 'keys',
  heading: ['NUMBER', 'KIND', 'KEY', 'LABEL', 'MADE AT', 'REVOKED AT', 'SCOPES'],
  cells: ({ id, kind, hint, label, createdAt, revokedAt, scopes }) => [
    String(id),
    kind,
    hint,
    label,
    instantText(createdAt),
    revokedAt === null ? '' : instantText(revokedAt),
    scopes.join(' '),
  ],
  view: ({ id, kind, hint, label, createdAt, revokedAt, scopes }) => ({
    id,
    kind,
    hint,
    label,
    scopes,
    created_at: instantText(createdAt),
    revoked_at: revokedAt === null ? null : instantText(revokedAt),
  }),
}
