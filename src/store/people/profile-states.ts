import type { ProfileState } from '../../domain/people/profile-state.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'

type Keyed = ProfileState & { readonly id: bigint }

/** One profile, locked until the transaction ends; null when there is none. */
export async function loadProfileState(tx: Db, brandId: number, id: bigint): Promise<ProfileState | null> {
  return (await lockProfileStates(tx, brandId, [id])).get(id) ?? null
}

/** Profiles, locked in order of their ids, so that no two transactions wait for each other in a circle. */
export async function lockProfileStates(
  tx: Db,
  brandId: number,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, ProfileState>> {
  const { rows } = await tx.query<Keyed>(
    `select id, email, mobile, attributes, mistyped, tags, opt_outs as "optOuts", created_at as "createdAt",
       updated_at as "updatedAt"
     from profiles where brand_id = $1 and id = any($2) order by id for no key update`,
    [brandId, ids],
  )
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

export async function saveProfileState(
  tx: Db,
  brandId: number,
  id: bigint,
  state: ProfileState,
): Promise<void> {
  await saveProfileStates(tx, brandId, new Map([[id, state]]))
}

/** Writes locked profiles. Their creation time does not change. */
export async function saveProfileStates(
  tx: Db,
  brandId: number,
  states: ReadonlyMap<bigint, ProfileState>,
): Promise<void> {
  const rows = [...states].map(([id, state]) => ({
    id: String(id),
    email: state.email,
    mobile: state.mobile,
    attributes: state.attributes,
    mistyped: state.mistyped,
    tags: state.tags,
    opt_outs: state.optOuts,
    updated_at: new Date(state.updatedAt).toISOString(),
  }))
  await tx.query(
    `update profiles set email = given.email, mobile = given.mobile, attributes = given.attributes,
       mistyped = given.mistyped, tags = given.tags, opt_outs = given.opt_outs,
       updated_at = given.updated_at
     from jsonb_to_recordset($2::jsonb) as given (id bigint, email text, mobile text, attributes jsonb,
       mistyped jsonb, tags text[], opt_outs jsonb, updated_at timestamptz)
     where profiles.brand_id = $1 and profiles.id = given.id`,
    [brandId, encodeJson(rows)],
  )
}
