import { BRAND_DELETION } from '../../rules/brand.ts'
import { AUDIT_EXPORT_QUERY, AUDIT_FORMS, AUDIT_QUERY, AUDIT_VIEW } from '../brand/audit.ts'
import { BRAND_CHANGES, NEW_BRAND } from '../brand/body.ts'
import { BRAND_CHANGE_REPLY, LISTED_BRAND } from '../brand/view.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { administratorHandler, memberHandler, provenAdministratorHandler } from '../team/member-handler.ts'
import { exportInstanceAudit, listInstanceAudit } from './audit.ts'
import {
  BRANDS_QUERY,
  beginDeletion,
  changeAnyBrand,
  endDeletion,
  listMyBrands,
  makeBrand,
} from './brands.ts'

const BRANDS = { group: 'Brands', scopes: null, isForMembers: true, rateLimit: 'visitor' } as const
const ADMINISTRATOR = { ...BRANDS, isForAdministrators: true } as const
const AUDIT = {
  ...ADMINISTRATOR,
  group: 'Audit',
  method: 'GET',
  body: 'none',
  refusals: ['not_signed_in', 'foreign_origin', 'administrator_only'],
} as const
const PATH = '/api/v1/brands'
const ONE_BRAND = Type.Object({ brand: LISTED_BRAND })

/** The brands of the instance, for administrators; every member lists their own. */
export const INSTANCE_ROUTES: readonly Route[] = [
  {
    ...BRANDS,
    method: 'GET',
    path: PATH,
    summary: 'List the brands',
    description:
      'The brands in which you have a role; for an administrator, all. A member works in a brand by sending its id as x-brand-id.',
    body: 'none',
    querySchema: BRANDS_QUERY,
    reply: Type.Object({ brands: Type.Array(LISTED_BRAND), ...NEXT_CURSOR }),
    refusals: ['not_signed_in', 'foreign_origin'],
    handler: memberHandler(listMyBrands),
  },
  {
    ...ADMINISTRATOR,
    method: 'POST',
    path: PATH,
    summary: 'Create a brand',
    description: 'You become its owner. POST /api/v1/brand/keys makes its first key.',
    body: 'json',
    bodySchema: NEW_BRAND,
    reply: ONE_BRAND,
    example: { brand_id: 'acme', name: 'Acme', time_zone: 'Europe/Berlin' },
    refusals: ['not_signed_in', 'foreign_origin', 'administrator_only', 'brand_exists'],
    handler: administratorHandler(makeBrand),
  },
  {
    ...ADMINISTRATOR,
    method: 'PATCH',
    path: `${PATH}/{brand_id}`,
    summary: 'Change the settings of any brand',
    description: 'As PATCH /api/v1/brand, for an administrator who has no role in the brand.',
    body: 'json',
    bodySchema: BRAND_CHANGES,
    reply: BRAND_CHANGE_REPLY,
    example: { name: 'Acme' },
    refusals: ['not_signed_in', 'foreign_origin', 'administrator_only', 'brand_not_found', 'brand_deleting'],
    handler: administratorHandler(changeAnyBrand),
  },
  {
    ...ADMINISTRATOR,
    method: 'DELETE',
    path: `${PATH}/{brand_id}`,
    summary: 'Delete a brand',
    needsProof: true,
    description: `The brand stops at once: its keys and members are refused, and nothing is sent. For ${BRAND_DELETION.graceDays} days \`restore\` brings it back whole; then all its data is removed, for good.`,
    body: 'none',
    reply: ONE_BRAND,
    refusals: ['not_signed_in', 'foreign_origin', 'administrator_only', 'proof_needed', 'brand_not_found'],
    handler: provenAdministratorHandler(beginDeletion),
  },
  {
    ...ADMINISTRATOR,
    method: 'POST',
    path: `${PATH}/{brand_id}/restore`,
    summary: 'Restore a brand that is being deleted',
    description:
      'It goes on where it stopped: messages that waited are sent, unless their time to live is over, and journeys go on.',
    body: 'none',
    reply: ONE_BRAND,
    refusals: ['not_signed_in', 'foreign_origin', 'administrator_only', 'brand_not_found'],
    handler: administratorHandler(endDeletion),
  },
  {
    ...AUDIT,
    path: '/api/v1/instance/audit',
    summary: 'List changes of the instance and who made them',
    description:
      'Brands that were made, deleted, restored and removed, members, the ways in which they sign in, and the hold of sending, newest first. With the filters of GET /api/v1/audit.',
    querySchema: AUDIT_QUERY,
    reply: Type.Object({ audit: Type.Array(AUDIT_VIEW), ...NEXT_CURSOR }),
    handler: administratorHandler(listInstanceAudit),
  },
  {
    ...AUDIT,
    path: '/api/v1/instance/audit/export',
    summary: 'Export the audit log of the instance',
    querySchema: AUDIT_EXPORT_QUERY,
    replyType: Object.values(AUDIT_FORMS).map(({ contentType }) => contentType),
    handler: administratorHandler(exportInstanceAudit),
  },
]
