import type { Identifiers } from '../../domain/people/identifiers.ts'
import { identifierNamesOf } from '../../domain/people/identity-plan.ts'
import type { OptOuts } from '../../domain/preferences/opt-outs.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'

/** The one whose preferences are read or changed: a person, or one device. */
export type OptOutHolder =
  | { readonly kind: 'person'; readonly brandId: number; readonly who: Identifiers }
  /** A person by the internal id that their profile has, or had before it was merged. */
  | { readonly kind: 'profile'; readonly brandId: number; readonly profileId: bigint }
  | { readonly kind: 'device'; readonly brandId: number; readonly subscriptionId: string }

/** The opt-outs of a person or a device, and the internal id of their row; null when there is none. */
export type HeldOptOuts = { readonly id: bigint; readonly optOuts: OptOuts }

export async function loadOptOuts(tx: Db, holder: OptOutHolder): Promise<HeldOptOuts | null> {
  return find(tx, holder, '')
}

/** The same, locked until the transaction ends. */
export async function lockOptOuts(tx: Db, holder: OptOutHolder): Promise<HeldOptOuts | null> {
  return find(tx, holder, 'for no key update')
}

async function find(tx: Db, holder: OptOutHolder, lock: string): Promise<HeldOptOuts | null> {
  const { brandId } = holder
  if (holder.kind === 'device') {
    const { rows } = await tx.query<HeldOptOuts>(
      `select id, opt_outs as "optOuts" from subscriptions where brand_id = $1 and subscription_id = $2 ${lock}`,
      [brandId, holder.subscriptionId],
    )
    return rows[0] ?? null
  }
  if (holder.kind === 'profile') {
    const { rows } = await tx.query<HeldOptOuts>(
      `select id, opt_outs as "optOuts" from profiles where brand_id = $1 and id = ${SURVIVOR} ${lock}`,
      [brandId, holder.profileId],
    )
    return rows[0] ?? null
  }
  const names = identifierNamesOf(holder.who)
  const { rows } = await tx.query<HeldOptOuts>(
    `select id, opt_outs as "optOuts" from profiles where brand_id = $1 and id = (
       select profile_id from profile_identities
       where brand_id = $1 and (kind, value) in (select * from unnest($2::text[], $3::text[])) limit 1) ${lock}`,
    [brandId, names.map(({ kind }) => kind), names.map(({ value }) => value)],
  )
  return rows[0] ?? null
}

/** The profile $2, or the one that it was merged into last. */
const SURVIVOR = `(with recursive merged (id, depth) as (
    select $2::bigint, 0
    union all
    select survivor_id, depth + 1 from profile_merges join merged on absorbed_id = merged.id
    where brand_id = $1 and state <> 'undone' and depth < 100
  ) select id from merged order by depth desc limit 1)`

type OptOutSave = HeldOptOuts & {
  readonly kind: OptOutHolder['kind']
  readonly brandId: number
  readonly now: number
}

/** Writes the opt-outs of a locked row, and that the brand has some: as long as it has none, no chunk looks for them. */
export async function saveOptOuts(tx: Db, { kind, brandId, id, optOuts, now }: OptOutSave): Promise<void> {
  await tx.query(
    `with saved as (
       update ${TABLES[kind]} as holder set opt_outs = $3, updated_at = greatest(updated_at, $4)
       where brand_id = $1 and id = $2
       returning ${kind === 'device' ? 'platform' : `''`} as platform, old.opt_outs as before, new.opt_outs as after
     )
     insert into series_changes (brand_id, metric, at, platform, name, count)
     select $1, 'opt_outs', date_trunc('minute', $4::timestamptz), platform, topic, 1
     from saved cross join jsonb_object_keys(after) as topic where not before ? topic`,
    [brandId, id, encodeJson(optOuts), new Date(now)],
  )
  if (Object.keys(optOuts).length === 0) return
  await tx.query('update brands set has_opt_outs = true where id = $1 and not has_opt_outs', [brandId])
}

const TABLES = { person: 'profiles', profile: 'profiles', device: 'subscriptions' } as const
