import { planBrandSettings } from '../../domain/brand/brand.ts'
import { fault } from '../../domain/fault.ts'
import { actorName } from '../../domain/team/actor.ts'
import { warning } from '../../domain/warning.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import { type Brand, loadBrand, saveBrandSettings } from '../../store/brand/brands.ts'
import type { Db } from '../../store/db.ts'
import { detachUnproved } from '../../store/people/unproved.ts'
import { IDENTITY_SECRET, saveSecret } from '../../store/secrets.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { Caller, TenantRequest } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { BRAND_CHANGES, brandChangesOf } from './body.ts'
import { renderBrand } from './view.ts'

/** GET /api/v1/brand */
export async function readBrand({ database }: Deps, { caller }: TenantRequest): Promise<Reply> {
  const brand = await database.asBrand(caller.brandId, async (tx) => loadOwnBrand(tx, caller))
  return replySuccess({ brand: renderBrand(brand) })
}

/** PATCH /api/v1/brand */
export async function changeBrand(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { id, caller, body } = request
  const parsed = parseBody(BRAND_CHANGES, body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  // A key that may not consent must not be able to switch the consent off.
  if (value.approval_above !== undefined && !caller.scopes.includes('approve')) {
    return refuse({ faults: [fault('scope_missing', 'approval_above', { scope: 'approve' })] })
  }

  return deps.database.asCaller(request, async (tx) => {
    const brand = await loadOwnBrand(tx, caller)
    const settings = planBrandSettings(brand, brandChangesOf(value))
    if (!settings.ok) return refuse(settings.rejection)
    await saveBrandSettings(tx, caller.brandId, settings.value)
    const notices =
      value.identity_verification === false ? [warning('unverified', 'identity_verification')] : []
    const isSwitchedOn = settings.value.identityVerification && !brand.identityVerification
    const detached = isSwitchedOn ? await detach(tx, deps, { id, caller }) : {}
    const fields = { brand: renderBrand({ ...brand, ...settings.value }), ...detached }
    return replySuccess(fields, { warnings: [...warnings, ...notices] })
  })
}

/** Browsers that claimed a person while no proof was asked for must not keep that person's notifications. */
async function detach(tx: Db, { clock, log }: Deps, { id, caller }: Pick<TenantRequest, 'id' | 'caller'>) {
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

/** A key's brand cannot be deleted, so a brand that is not there is our own mistake. */
async function loadOwnBrand(tx: Db, { brandExternalId }: Caller): Promise<Brand> {
  const brand = await loadBrand(tx, brandExternalId)
  if (brand === null) throw new Error(`brand ${brandExternalId} has a key but no row`)
  return brand
}
