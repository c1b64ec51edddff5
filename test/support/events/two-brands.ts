import * as fc from 'fast-check'
import { WEEK_MS } from '../../../src/domain/events/week.ts'
import { countBrand } from '../../../src/pipeline/events/counting.ts'
import type { Database } from '../../../src/store/db.ts'
import { ensureReaders } from '../../../src/store/events/readers.ts'
import { eraseProfiles } from '../../../src/store/people/erasure.ts'
import { lockIdentities } from '../../../src/store/people/identities.ts'
import { mergeProfiles } from '../../../src/store/people/merging.ts'
import { undoMerge } from '../../../src/store/people/unmerging.ts'
import type { TestDatabase } from '../database/database.ts'
import { until } from '../until.ts'
import { DAY_MS, type Frozen, OLD_WEEK, type RawEvent } from './frozen.ts'

const VALUE = fc.constantFrom(
  '"a"',
  '"ab"',
  '"😀a"',
  '""',
  '"2026-01-02"',
  String.raw`"x\n\"y\", \u0001z"`,
  '0',
  '1',
  '1.0',
  '2.50',
  '2.5',
  '-1',
  '9007199254740993',
  '12345678901234567890.5',
  'true',
  'false',
  'null',
  '{"deep": [1, 2.0]}',
)
export const NOW = Date.now()
const NAMES = ['buy', 'see', 'go'] as const
export const PEOPLE = [1, 2, 3, 4, 5, 6]

export type Drawn = {
  readonly week: number
  readonly offsetMs: number
  readonly person: number
  readonly name: string
  readonly a: string | null
  readonly b: string | null
  readonly source: string | null
  readonly ltv: string
}

export const DRAWN: fc.Arbitrary<Drawn> = fc.record({
  week: fc.constantFrom(0, 0, 1, 3),
  offsetMs: fc.integer({ min: 0, max: 2 * DAY_MS }).map((ms) => ms - (ms % 1_800_000)),
  person: fc.constantFrom(...PEOPLE),
  name: fc.constantFrom(...NAMES),
  a: fc.option(VALUE),
  b: fc.option(VALUE),
  source: fc.option(fc.constantFrom('"web"', '7', '{"deep": "er"}')),
  ltv: fc.constantFrom('10', '0.1', '-3', '1.50', '999999999999.123456789'),
})

function rawOf({ week, offsetMs, person, name, a, b, source, ltv }: Drawn, place: number): RawEvent {
  const receivedAt = Math.min(OLD_WEEK.startsAt + week * WEEK_MS + offsetMs, Date.now())
  const attributes = [...(a === null ? [] : [`"a": ${a}`]), ...(b === null ? [] : [`"b'; --": ${b}`])]
  return {
    receivedAt,
    place,
    profileId: person,
    name,
    at: receivedAt - (place % 5 === 0 ? 9 * DAY_MS : 0) - place,
    ltv,
    attributes: `{${attributes.join(', ')}}`,
    context: source === null ? null : `{"utm": {"source": ${source}}}`,
  }
}

/** A brand that keeps its rows, and one with the same events that drops them. */
export type Side = { readonly db: Database; readonly brandId: number; readonly drops: boolean }

type Store = Pick<TestDatabase, 'database' | 'brand'> & { readonly frozen: Frozen; readonly cold: Database }

export async function twoBrands(store: Store, drawn: readonly Drawn[]): Promise<readonly [Side, Side]> {
  const kept = { db: store.database, brandId: await brandOf(store, drawn), drops: false }
  const dropped = { db: store.cold, brandId: await brandOf(store, drawn), drops: true }
  return [kept, dropped]
}

async function brandOf({ database, brand, frozen }: Store, drawn: readonly Drawn[]): Promise<number> {
  const { brandId } = await brand()
  await frozen.store(brandId, drawn.map(rawOf))
  await database.query(
    `with made as (
       insert into profiles (brand_id, id, attributes, created_at, updated_at)
       select $1, id, jsonb_build_object('a', id), $3, $3 from unnest($2::bigint[]) as id returning id, created_at
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', 'u' || id, id, created_at from made
     ), devices as (
       insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, state_since,
         created_at, registered_at, updated_at)
       select $1, 's' || id, 'android', 'address', sha256(id::text::bytea), id, now(), now(), now(), now() from made
     ), counted as (
       insert into profile_event_counters (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
       select $1, profile_id, event_name, count(*), min(event_at), max(event_at) from events where brand_id = $1 group by 2, 3
     )
     insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv)
     select $1, profile_id, count(*), min(event_at), max(event_at), sum(ltv) from events where brand_id = $1 group by 2`,
    [brandId, PEOPLE, new Date(NOW)],
  )
  return brandId
}

/** Drops the rows of the one brand: those of the other would go too, so it is hidden from freezing. */
export async function freezeAndDrop(
  { database, frozen }: Pick<Store, 'database' | 'frozen'>,
  [kept]: readonly [Side, Side],
  laterMs = 0,
): Promise<void> {
  await database.query('update event_files set drop_after = $2 where brand_id = $1', [kept.brandId, FAR])
  await frozen.round(laterMs)
  await database.query('update event_files set drop_after = $2 where brand_id = $1', [kept.brandId, FAR])
  await frozen.drop(laterMs)
}

const FAR = new Date('2100-01-01T00:00:00Z')

export type Change =
  | { readonly kind: 'merge'; readonly survivor: number; readonly absorbed: number }
  | { readonly kind: 'unmerge' }
  | { readonly kind: 'erase'; readonly person: number }
  | { readonly kind: 'begin erasure'; readonly person: number }
  | { readonly kind: 'retype'; readonly name: string }
  | { readonly kind: 'freeze' }

export const CHANGE: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('merge' as const),
    survivor: fc.constantFrom(1, 2, 3),
    absorbed: fc.constantFrom(4, 5),
  }),
  fc.record({ kind: fc.constant('unmerge' as const) }),
  fc.record({ kind: fc.constant('erase' as const), person: fc.constantFrom(...PEOPLE) }),
  fc.record({ kind: fc.constant('retype' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant('freeze' as const) }),
)

export async function change({ db, brandId }: Side, made: Change): Promise<void> {
  const now = NOW
  switch (made.kind) {
    case 'merge': {
      const { rows } = await db.query<{ id: bigint }>(
        'select id from profiles where brand_id = $1 and id = any($2)',
        [brandId, [made.survivor, made.absorbed]],
      )
      if (rows.length < 2) return
      await db.asEngine(async (tx) => {
        await lockIdentities(tx, brandId)
        await mergeProfiles(tx, {
          brandId,
          survivorId: BigInt(made.survivor),
          absorbedId: BigInt(made.absorbed),
          now,
        })
      })
      return settle(db, brandId)
    }
    case 'unmerge': {
      const { rows } = await db.query<{ id: bigint }>(
        `select id from profile_merges where brand_id = $1 and state <> 'undone' order by id desc limit 1`,
        [brandId],
      )
      const [merge] = rows
      if (merge !== undefined) await undoMerge(db, { brandId, mergeId: merge.id, now })
      return
    }
    case 'erase':
    case 'begin erasure':
      await db.asEngine(async (tx) =>
        eraseProfiles(tx, {
          brandId,
          people: [{ userId: `u${made.person}`, email: null, mobile: null }],
          now,
        }),
      )
      return made.kind === 'erase' ? settle(db, brandId) : undefined
    case 'retype':
      await db.query(
        `with locked as (
           update attribute_locks set type = case type when 'number' then 'string' else 'number' end
           where brand_id = $1 and event_name = $2 and attribute = 'a' returning event_name
         )
         insert into retyped_attributes (brand_id, event_name, attribute, retyped_at)
         select $1, event_name, 'a', now() - interval '1 hour' from locked on conflict do nothing`,
        [brandId, made.name],
      )
      return settle(db, brandId)
    case 'freeze':
  }
}

/** Everything that waits for counting is done. Transactions of other tests on the same server are waited for. */
async function settle(db: Database, brandId: number): Promise<void> {
  await ensureReaders(db, 'counting')
  await until(
    async () => {
      await countBrand(db, brandId)
      const { count } = await db.query(
        `select from profile_merges where brand_id = $1 and state = 'moving'
         union all select from erasures where brand_id = $1 union all select from retyped_attributes where brand_id = $1`,
        [brandId],
      )
      return count === 0
    },
    { what: 'the end of follow-ups' },
  )
}
