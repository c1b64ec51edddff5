import { type BrandSettings, planBrandSettings } from '../../domain/brand/brand.ts'
import { BRAND_LIMITS } from '../../rules/brand.ts'
import { FREQUENCY_LIMITS } from '../../rules/push.ts'
import { type Brand, loadBrand, saveBrandSettings } from '../../store/brand/brands.ts'
import type { Db } from '../../store/db.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { Caller, TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'
import { INSTANT, instantOf } from '../schema/view.ts'

/** GET /api/v1/brand */
export async function readBrand({ database }: Deps, { caller }: TenantRequest): Promise<Reply> {
  const brand = await database.asBrand(caller.brandId, async (tx) => loadOwnBrand(tx, caller))
  return replySuccess({ brand: renderBrand(brand) })
}

/** PATCH /api/v1/brand */
export async function changeBrand({ database }: Deps, { caller, body }: TenantRequest): Promise<Reply> {
  const parsed = parseBody(BRAND_CHANGES, body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value

  return database.asBrand(caller.brandId, async (tx) => {
    const brand = await loadOwnBrand(tx, caller)
    const settings = planBrandSettings(brand, changesOf(value))
    if (!settings.ok) return refuse(settings.rejection)
    await saveBrandSettings(tx, caller.brandId, settings.value)
    return replySuccess({ brand: renderBrand({ ...brand, ...settings.value }) }, { warnings })
  })
}

const BRAND_CHANGES = Type.Object({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: BRAND_LIMITS.nameCharsMax,
      description: 'What people call the brand.',
    }),
  ),
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'An IANA name such as Europe/Berlin, or an offset such as +05:30. Times without a zone are meant in it.',
    }),
  ),
  profile_merging: Type.Optional(
    Type.Boolean({ description: 'Whether email and mobile identify a profile as userID does.' }),
  ),
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ maxLength: BRAND_LIMITS.originCharsMax }), {
      maxItems: BRAND_LIMITS.originsMax,
      description: 'The sites that may use a publishable key, such as https://example.com.',
    }),
  ),
  identity_verification: Type.Optional(
    Type.Boolean({ description: 'Whether a page must prove its userID with user_hash; see identity-key.' }),
  ),
  frequency_cap: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: FREQUENCY_LIMITS.perDayMax }), Type.Null()], {
      description:
        'How many notifications a person may get on one day of the brand’s zone, over journeys and broadcasts; null for any number.',
    }),
  ),
})

const BRAND = Type.Object({
  brand: Type.Object({
    brand_id: Type.String({ description: 'What callers send as x-brand-id.' }),
    name: Type.String(),
    time_zone: Type.String(),
    profile_merging: Type.Boolean(),
    allowed_origins: Type.Array(Type.String()),
    identity_verification: Type.Boolean(),
    frequency_cap: Type.Union([Type.Integer(), Type.Null()]),
    created_at: INSTANT,
  }),
})

/** A key's brand cannot be deleted, so a brand that is not there is our own mistake. */
async function loadOwnBrand(tx: Db, { brandExternalId }: Caller): Promise<Brand> {
  const brand = await loadBrand(tx, brandExternalId)
  if (brand === null) throw new Error(`brand ${brandExternalId} has a key but no row`)
  return brand
}

function changesOf(changes: Static<typeof BRAND_CHANGES>): Partial<BrandSettings> {
  const {
    name,
    time_zone: timeZone,
    profile_merging: profileMerging,
    allowed_origins: allowedOrigins,
    identity_verification: identityVerification,
    frequency_cap: frequencyCap,
  } = changes
  return {
    ...(name === undefined ? {} : { name }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(profileMerging === undefined ? {} : { profileMerging }),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins }),
    ...(identityVerification === undefined ? {} : { identityVerification }),
    ...(frequencyCap === undefined ? {} : { frequencyCap }),
  }
}

function renderBrand(brand: Brand): object {
  return {
    brand_id: brand.externalId,
    name: brand.name,
    time_zone: brand.timeZone,
    profile_merging: brand.profileMerging,
    allowed_origins: brand.allowedOrigins,
    identity_verification: brand.identityVerification,
    frequency_cap: brand.frequencyCap,
    created_at: instantOf(brand.createdAt),
  }
}

export const BRAND_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/brand',
    group: 'Brand',
    summary: 'Reads the brand’s settings',
    scopes: ['brand'],
    body: 'none',
    reply: BRAND,
    handler: readBrand,
  },
  {
    method: 'PATCH',
    path: '/api/v1/brand',
    group: 'Brand',
    summary: 'Changes the brand’s settings',
    description: 'Only what is named changes. Within three seconds it holds in every process.',
    scopes: ['brand'],
    body: 'json',
    bodySchema: BRAND_CHANGES,
    reply: BRAND,
    example: { name: 'Acme', time_zone: 'Europe/Berlin' },
    handler: changeBrand,
  },
]
