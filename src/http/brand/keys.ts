import { formatKey, KEY_RANDOM_BYTES } from '../../domain/brand/api-key.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { BRAND_LIMITS, KEY_KINDS, type KeyKind, SCOPES, type Scope } from '../../rules/brand.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import { type ApiKey, createKey, listKeys, revokeKey } from '../../store/brand/api-keys.ts'
import type { Db } from '../../store/db.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, NEXT_CURSOR } from '../schema/view.ts'
import { membersOf } from '../schema/walk.ts'

/** GET /api/v1/brand/keys */
export async function listBrandKeys({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(KEY_QUERY, query), parseKeyId)
  if (!parsed.ok) return refuse(parsed.rejection)

  const { after, limit, warnings } = parsed.value
  const { brandId } = caller
  const keys = await database.asBrand(brandId, async (tx) =>
    listKeys(tx, { brandId, afterId: after ?? 0, limit }),
  )
  const fields = { keys: keys.map(renderKey), next_cursor: nextCursor(keys, limit, ({ id }) => String(id)) }
  return replySuccess(fields, { processed: keys.length, warnings })
}

/** POST /api/v1/brand/keys */
export async function createBrandKey(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(KEY_DRAFT, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { kind, label = '', scopes: wanted = KEY_KINDS[kind].scopes } = parsed.value.value
  const scopes = checkScopes(kind, wanted)
  if (!scopes.ok) return refuse(scopes.rejection)

  const plaintext = formatKey(kind, randomBits(KEY_RANDOM_BYTES))
  const draft = { brandId: request.caller.brandId, kind, plaintext, scopes: scopes.value, label }
  const { warnings } = parsed.value
  const save = async (tx: Db): Promise<Reply> => {
    const key = await createKey(tx, { ...draft, now: deps.clock.now() })
    return replySuccess({ key: { ...renderKey(key), api_key: plaintext } }, { warnings })
  }
  return replyOnce(deps, request, save, { keep: withoutPlaintext })
}

/** POST /api/v1/brand/keys/{id}/revoke: for good; saying it twice changes nothing. */
export async function revokeBrandKey(deps: Deps, request: TenantRequest): Promise<Reply> {
  const keyId = parseKeyId(param(request, 'id'))
  if (keyId === null) return refuse({ faults: [fault('key_not_found')] })

  const { brandId } = request.caller
  const key = await deps.database.asBrand(brandId, async (tx) => {
    await revokeKey(tx, { brandId, keyId, now: deps.clock.now() })
    const [found] = await listKeys(tx, { brandId, afterId: keyId - 1, limit: 1 })
    return found?.id === keyId ? found : null
  })
  if (key === null) return refuse({ faults: [fault('key_not_found')] })
  return replySuccess({ key: renderKey(key) })
}

const KEY_QUERY = Type.Object(PAGE_FIELDS)

const KIND_NAMES: readonly KeyKind[] = ['secret', 'publishable']
const SCOPE_NAMES = Object.keys(SCOPES).filter((name): name is Scope => name in SCOPES)

const KEY_DRAFT = Type.Object({
  kind: Type.Enum([...KIND_NAMES], {
    description: 'A publishable key may be seen by anybody, and can do little.',
  }),
  label: Type.Optional(
    Type.String({ maxLength: BRAND_LIMITS.keyLabelCharsMax, description: 'What the key is for.' }),
  ),
  scopes: Type.Optional(
    Type.Array(Type.Enum(SCOPE_NAMES), {
      minItems: 1,
      maxItems: SCOPE_NAMES.length,
      description: 'What the key may do; all that its kind allows, if not given.',
    }),
  ),
})

const KEY_FIELDS = {
  id: Type.Integer(),
  kind: Type.Enum([...KIND_NAMES]),
  hint: Type.String({ description: 'How the key begins.' }),
  scopes: Type.Array(Type.Enum(SCOPE_NAMES)),
  label: Type.String(),
  created_at: INSTANT,
  revoked_at: INSTANT_OR_NULL,
}

const KEY_SHOWN_ONCE = Type.Union([Type.String(), Type.Null()], {
  description: 'The key itself. It is shown once; a replay of the request has null here.',
})

/** A kind's scopes are a wall: a key that sits in browsers must not be able to send. */
function checkScopes(kind: KeyKind, scopes: readonly Scope[]): Result<readonly Scope[]> {
  const allowed: readonly Scope[] = KEY_KINDS[kind].scopes
  const beyond = scopes.find((scope) => !allowed.includes(scope))
  if (beyond === undefined) return accept([...new Set(scopes)])
  return reject(fault('field_conflict', 'scopes', { detail: `a ${kind} key cannot have ${beyond}` }))
}

function renderKey(key: ApiKey): object {
  return {
    id: key.id,
    kind: key.kind,
    hint: key.hint,
    scopes: key.scopes,
    label: key.label,
    created_at: instantOf(key.createdAt),
    revoked_at: instantOrNull(key.revokedAt),
  }
}

/** What an Idempotency-Key may bring back: all but the key, which exists in the clear only once. */
function withoutPlaintext(reply: Reply): Reply {
  const body = membersOf(reply.body)
  return { ...reply, body: { ...body, key: { ...membersOf(body['key']), api_key: null } } }
}

/** Ids are PostgreSQL integers; anything else names no key. */
function parseKeyId(text: string): number | null {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= INTEGER_MAX ? Number(text) : null
}

const INTEGER_MAX = 2_147_483_647

const KEY = { group: 'Keys', scopes: ['brand'] } as const

export const BRAND_KEY_ROUTES: readonly Route[] = [
  {
    ...KEY,
    method: 'GET',
    path: '/api/v1/brand/keys',
    summary: 'Lists the brand’s API keys',
    description: 'Revoked ones too, in the order they were made. No key is ever shown again.',
    body: 'none',
    querySchema: KEY_QUERY,
    reply: Type.Object({
      keys: Type.Array(Type.Object(KEY_FIELDS)),
      ...NEXT_CURSOR,
    }),
    handler: listBrandKeys,
  },
  {
    ...KEY,
    method: 'POST',
    path: '/api/v1/brand/keys',
    summary: 'Makes an API key',
    description: 'The reply is the only place that shows the key; Beckon keeps its hash.',
    body: 'json',
    isIdempotent: true,
    bodySchema: KEY_DRAFT,
    reply: Type.Object({ key: Type.Object({ ...KEY_FIELDS, api_key: KEY_SHOWN_ONCE }) }),
    example: { kind: 'secret', label: 'checkout service', scopes: ['push', 'events'] },
    handler: createBrandKey,
  },
  {
    ...KEY,
    method: 'POST',
    path: '/api/v1/brand/keys/{id}/revoke',
    summary: 'Revokes an API key',
    description: 'For good, and everywhere within five seconds.',
    body: 'none',
    reply: Type.Object({ key: Type.Object(KEY_FIELDS) }),
    refusals: ['key_not_found'],
    handler: revokeBrandKey,
  },
]
