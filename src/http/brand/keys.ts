import { formatKey, KEY_RANDOM_BYTES } from '../../domain/brand/api-key.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { mintableScopes } from '../../domain/team/scopes.ts'
import { BROWSER_SCOPES, KEY_KINDS, type KeyKind, type Scope } from '../../rules/brand.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import { createKey, listKeys, revokeKey } from '../../store/brand/api-keys.ts'
import type { Db } from '../../store/db.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { type Caller, param, type TenantRequest } from '../request.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { membersOf } from '../schema/walk.ts'
import { KEY_DRAFT } from './body.ts'
import { renderKey } from './view.ts'

/** GET /api/v1/brand/keys */
export async function listBrandKeys({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(KEY_QUERY, query), parseKeyId)
  if (!parsed.ok) return refuse(parsed.rejection)

  const { after, limit, warnings } = parsed.value
  const { brandId } = caller
  const keys = await database.asBrand(brandId, async (tx) =>
    listKeys(tx, { brandId, afterId: after ?? 0, limit }),
  )
  const fields = {
    keys: keys.map(renderKey),
    next_cursor: nextCursor({ rows: keys, hasMore: keys.length === limit }, ({ id }) => String(id)),
  }
  return replySuccess(fields, { processed: keys.length, warnings })
}

/** POST /api/v1/brand/keys */
export async function createBrandKey(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(KEY_DRAFT, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { kind, label = '', scopes: wanted = mintable(kind, request.caller) } = parsed.value.value
  const scopes = checkScopes(kind, wanted, request.caller)
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
  const key = await deps.database.asCaller(request, async (tx) => {
    await revokeKey(tx, { brandId, keyId, now: deps.clock.now() })
    const [found] = await listKeys(tx, { brandId, afterId: keyId - 1, limit: 1 })
    return found?.id === keyId ? found : null
  })
  if (key === null) return refuse({ faults: [fault('key_not_found')] })
  return replySuccess({ key: renderKey(key) })
}

export const KEY_QUERY = Type.Object(PAGE_FIELDS)

/**
 * A kind's scopes are a wall: a key that sits in browsers must not be able to send. And no caller makes a key that may
 * do more than itself, so that a leaked key for settings is not a key for everything; only developers, who have no
 * personal data, may also give `push` and `events`.
 */
function checkScopes(kind: KeyKind, scopes: readonly Scope[], caller: Caller): Result<readonly Scope[]> {
  const allowed: readonly Scope[] = [...KEY_KINDS[kind].scopes, ...KEY_KINDS[kind].parts]
  const beyond = scopes.find((scope) => !allowed.includes(scope))
  if (beyond !== undefined) {
    return reject(fault('field_conflict', 'scopes', { detail: `a ${kind} key cannot have ${beyond}` }))
  }
  const missing = (scopes.length === 0 ? KEY_KINDS[kind].scopes : scopes).find(
    (scope) => !covers(caller, scope),
  )
  if (missing === undefined) return accept([...new Set(scopes)])
  return reject(fault('scope_missing', 'scopes', { scope: neededFor(missing) }))
}

/** The scopes of a new key that names none: those of its kind that its maker has. */
function mintable(kind: KeyKind, caller: Caller): readonly Scope[] {
  return KEY_KINDS[kind].scopes.filter((scope) => covers(caller, scope))
}

function covers({ actor, scopes }: Caller, scope: Scope): boolean {
  return mintableScopes(actor, scopes).includes(neededFor(scope))
}

function neededFor(scope: Scope): Scope {
  return scope === 'track' || scope === 'subscribe' ? BROWSER_SCOPES[scope] : scope
}

/** The reply that is stored for an Idempotency-Key: without the API key, which is shown only once. */
function withoutPlaintext(reply: Reply): Reply {
  const body = membersOf(reply.body)
  return { ...reply, body: { ...body, key: { ...membersOf(body['key']), api_key: null } } }
}

/** Ids are PostgreSQL integers; anything else names no key. */
function parseKeyId(text: string): number | null {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= INTEGER_MAX ? Number(text) : null
}

const INTEGER_MAX = 2_147_483_647
