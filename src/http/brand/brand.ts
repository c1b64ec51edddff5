import { planBrandSettings } from '../../domain/brand/brand.ts'
import { fault } from '../../domain/fault.ts'
import { actorName } from '../../domain/team/actor.ts'
import { warning } from '../../domain/warning.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import type { AuthoredRequest } from '../../store/author.ts'
import { type Brand, loadKeptBrand, saveBrandSettings } from '../../store/brand/brands.ts'
import type { Db } from '../../store/db.ts'
import { detachUnproved } from '../../store/people/unproved.ts'
import { IDENTITY_SECRET, saveSecret } from '../../store/secrets.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { Caller, TenantRequest } from '../request.ts'
import { type ParsedBody, parseBody, type Static } from '../schema/schema.ts'
import { BRAND_CHANGES, brandChangesOf } from './body.ts'
import { renderBrand } from './view.ts'

/** GET /api/v1/brand */
export async function readBrand({ database }: Deps, { caller }: TenantRequest): Promise<Reply> {
  const brand = await database.asBrand(caller.brandId, async (tx) => loadOwnBrand(tx, caller))
  return replySuccess({ brand: renderBrand(brand) })
}

/** PATCH /api/v1/brand */
export async function changeBrand(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller, body } = request
  const parsed = parseBody(BRAND_CHANGES, body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  // A key that may not consent must not be able to switch the consent off.
  if (value.approval_above !== undefined && !caller.scopes.includes('approve')) {
    return refuse({ faults: [fault('scope_missing', 'approval_above', { scope: 'approve' })] })
  }

  return saveBrandChanges(deps, { ...request, caller }, { value, warnings })
}

type BrandAuthor = AuthoredRequest & { readonly caller: { readonly brandExternalId: string } }

/** Changes the settings of the brand of `caller`, by order of its key or member, or of an administrator. */
export async function saveBrandChanges(
  deps: Deps,
  author: BrandAuthor,
  { value, warnings }: ParsedBody<Static<typeof BRAND_CHANGES>>,
): Promise<Reply> {
  const { caller } = author
  return deps.database.asCaller(author, async (tx) => {
    const brand = await loadOwnBrand(tx, caller)
    const settings = planBrandSettings(brand, brandChangesOf(value))
    if (!settings.ok) return refuse(settings.rejection)
    await saveBrandSettings(tx, caller.brandId, settings.value)
    const notices =
      value.identity_verification === false ? [warning('unverified', 'identity_verification')] : []
    const isSwitchedOn = settings.value.identityVerification && !brand.identityVerification
    const detached = isSwitchedOn ? await detach(tx, deps, author) : {}
    const fields = { brand: renderBrand({ ...brand, ...settings.value }), ...detached }
    return replySuccess(fields, { warnings: [...warnings, ...notices] })
  })
}

/** Browsers that claimed a person while no proof was asked for must not keep that person's notifications. */
async function detach(tx: Db, { clock, log }: Deps, { id, caller }: BrandAuthor) {
  const { brandId, brandExternalId, actor } = caller
  const count = await detachUnproved(tx, { brandId, now: clock.now() })
  const facts = { request_id: id, brand: brandExternalId, actor: actorName(actor), detached_browsers: count }
  log.info('identity verification was switched on', facts)
  return { detached_browsers: count }
}

/** POST /api/v1/brand/identity-key: the new key is shown once, and replaces the one before. */
export async function makeIdentityKey(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId } = request.caller
  const plaintext = Buffer.from(randomBits(KEY_BYTES)).toString('base64url')
  const now = deps.clock.now()
  await deps.database.asCaller(request, async (tx) =>
    saveSecret(tx, deps.sealer, { brandId, kind: IDENTITY_SECRET, plaintext, now }),
  )
  return replySuccess({ identity_key: plaintext })
}

const KEY_BYTES = 32

/** A request may have begun just before its brand was stopped, so only a brand that is not there is our own mistake. */
async function loadOwnBrand(tx: Db, { brandExternalId }: Pick<Caller, 'brandExternalId'>): Promise<Brand> {
  const brand = await loadKeptBrand(tx, brandExternalId)
  if (brand === null) throw new Error(`brand ${brandExternalId} has a key but no row`)
  return brand
}
