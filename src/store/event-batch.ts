import type { AttributesSeen, FittedEntry } from '../domain/fit-attributes.ts'
import type { Identifiers } from '../domain/identifiers.ts'
import { encodeJson } from '../domain/json.ts'
import { LTV_DEFAULT } from '../rules/events.ts'
import type { IdentityKind } from '../rules/profiles.ts'
import type { Db } from './db.ts'
import { makeProfiles } from './profile-making.ts'

export type EventBatch = {
  readonly brandId: number
  /** At most 1000. */
  readonly fitted: readonly FittedEntry[]
  readonly seen: AttributesSeen
  readonly now: number
}

/**
 * Stores the events of one transaction. Each finds its profile by the first name it has. For people nobody knew,
 * profiles are made in the same transaction and a moment later than their events (spec §4.2, E2).
 */
export async function insertBatch(tx: Db, batch: EventBatch): Promise<void> {
  const batchId = await openBatch(tx, batch)
  const rows = batch.fitted.map(toRow)
  const stored = await insertRows(tx, { ...batch, batchId, rows, isEarly: false })
  if (stored === rows.length) return
  const strangers = await dropStored(tx, { ...batch, batchId, rows })
  for (const kind of new Set(strangers.map((row) => row.k ?? 'user_id'))) {
    const values = strangers.filter((row) => (row.k ?? 'user_id') === kind).map((row) => row.u)
    await makeProfiles(tx, { brandId: batch.brandId, kind, values, createdAt: batch.now + 1 })
  }
  const late = await insertRows(tx, { ...batch, batchId, rows: strangers, isEarly: true })
  if (late !== strangers.length) throw new Error('a profile vanished while its events were stored')
}

/** How an event travels to the database. What is undefined is left out of the JSON: most have their usual value. */
type Row = {
  /** Place in the batch. */
  readonly i: number
  /** Kind of the name the profile is found by, and the name. */
  readonly k: IdentityKind | undefined
  readonly u: string
  readonly n: string
  readonly t: number
  readonly l: string | undefined
  readonly a: object
  readonly s: object | undefined
  readonly c: object | undefined
  readonly d: string | undefined
}

function toRow({ entry, shown, setAside }: FittedEntry, place: number): Row {
  const { kind, value } = firstName(entry.who)
  return {
    i: place,
    k: kind === 'user_id' ? undefined : kind,
    u: value,
    n: entry.name,
    t: entry.at,
    l: entry.ltv === LTV_DEFAULT ? undefined : entry.ltv,
    a: shown,
    s: setAside ?? undefined,
    c: entry.context ?? undefined,
    d: entry.eventId ?? undefined,
  }
}

function firstName(who: Identifiers): { readonly kind: IdentityKind; readonly value: string } {
  if (who.userId !== null) return { kind: 'user_id', value: who.userId }
  if (who.email !== null) return { kind: 'email', value: who.email }
  if (who.mobile !== null) return { kind: 'mobile', value: who.mobile }
  throw new Error('an entry without a name got past the parser')
}

/** The batch's id begins with the moment; the number after it tells apart batches of one millisecond. */
async function openBatch(tx: Db, { brandId, fitted, seen, now }: EventBatch): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>(
    `insert into event_batches (brand_id, id, entries, attributes_seen)
     values ($1, ($2::bigint << 21) | (nextval('event_batch_numbers') << 10), $3, $4)
     returning id`,
    [brandId, now, fitted.length, encodeJson(seen)],
  )
  const [batch] = rows
  if (batch === undefined) throw new Error('an inserted batch came back without a row')
  return batch.id
}

type Insert = {
  readonly brandId: number
  readonly batchId: bigint
  readonly rows: readonly Row[]
  /** The profiles are made by this very call, so whatever their events' times say, they come first. */
  readonly isEarly: boolean
}

/** Stores the events whose profile is known, and tells how many that were. */
async function insertRows(tx: Db, { brandId, batchId, rows, isEarly }: Insert): Promise<number> {
  const { count } = await tx.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes,
       set_aside, context, event_id)
     select $2::bigint + i, profile_id, to_timestamp(t / 1000), $1, $4 or to_timestamp(t / 1000) < profile_created_at,
       n, coalesce(l, ${LTV_DEFAULT}), a, s, c, d
     from jsonb_to_recordset($3::jsonb) as e (i integer, k text, u text, n text, t double precision, l numeric,
       a jsonb, s jsonb, c jsonb, d text)
     join profile_identities as p on p.brand_id = $1 and p.kind = coalesce(e.k, 'user_id') and p.value = e.u`,
    [brandId, batchId, encodeJson(rows), isEarly],
  )
  return count
}

async function dropStored(
  tx: Db,
  { brandId, batchId, rows }: Omit<Insert, 'isEarly'>,
): Promise<readonly Row[]> {
  const { rows: stored } = await tx.query<{ place: number }>(
    `select (id - $2::bigint)::integer as place from events
     where brand_id = $1 and id >= $2::bigint and id < $2::bigint + 1024`,
    [brandId, batchId],
  )
  const places = new Set(stored.map(({ place }) => place))
  return rows.filter(({ i }) => !places.has(i))
}
