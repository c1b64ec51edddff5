import * as fc from 'fast-check'
import { WEEK_MS } from '../../../src/domain/events/week.ts'
import type { TestDatabase } from '../database/database.ts'
import { DAY_MS, type Frozen, OLD_WEEK, type RawEvent } from './frozen.ts'

type DrawnStore = Pick<TestDatabase, 'database' | 'brand'> & { readonly frozen: Frozen }

/** Values that DuckDB and PostgreSQL both hold exactly, in several spellings. */
const VALUE = fc.constantFrom(
  '"a"',
  '"ab"',
  '"😀a"',
  '""',
  '"100"',
  String.raw`"x\n\"y\", \u0001z"`,
  '0',
  '1',
  '1.0',
  '2.50',
  '2.5',
  '-1',
  '9007199254740993',
  'true',
  'false',
  'null',
)

export const NAMES = ['buy', 'see', 'go'] as const

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

/** Weeks 0 and 1 have ended and are frozen; week 3 is that of now. */
const DRAWN: fc.Arbitrary<Drawn> = fc.record({
  week: fc.constantFrom(0, 0, 1, 3),
  offsetMs: fc.integer({ min: 0, max: 2 * DAY_MS }).map((ms) => ms - (ms % 1_800_000)),
  person: fc.integer({ min: 1, max: 6 }),
  name: fc.constantFrom(...NAMES),
  a: fc.option(VALUE),
  b: fc.option(VALUE),
  source: fc.option(fc.constantFrom('"web"', '"app"', '7', '{"deep": "er"}')),
  ltv: fc.constantFrom('10', '0.1', '-3', '999999999999.123456789'),
})

export function rawOf({ week, offsetMs, person, name, a, b, source, ltv }: Drawn, place: number): RawEvent {
  const receivedAt = Math.min(OLD_WEEK.startsAt + week * WEEK_MS + offsetMs, Date.now())
  const attributes = [
    ...(a === null ? [] : [`"a": ${a}`]),
    ...(b === null ? [] : [`"b'; --": ${b}`]),
    // A number with more digits than a double has keeps all attributes of the event in JSON.
    ...(place % 9 === 0 ? ['"wide": 0.12345678901234567890'] : []),
  ]
  return {
    receivedAt,
    place,
    profileId: person,
    name,
    // Some events happened days before they were received.
    at: receivedAt - (place % 5 === 0 ? 9 * DAY_MS : 0),
    ltv,
    attributes: `{${attributes.join(', ')}}`,
    context: source === null ? null : `{"utm": {"source": ${source}}}`,
  }
}

/**
 * Stores events, freezes their weeks, and then merges two people and erases a third, in rows that are in files. Two more are being
 * erased: one since before the files were written.
 */
export async function storeDrawn(
  { database, brand, frozen }: DrawnStore,
  drawn: readonly Drawn[],
): Promise<number> {
  const { brandId } = await brand()
  await frozen.store(brandId, drawn.map(rawOf))
  await database.query(
    `insert into profiles (brand_id, id, attributes, created_at, updated_at)
     select $1, id, attributes::jsonb, now(), now()
     from unnest('{1, 2, 4}'::bigint[], array['{"a": 1}', '{"a": "ab"}', '{"b": true}']) as p (id, attributes)`,
    [brandId],
  )
  await beginErasure(database, { brandId, profileId: 6 })
  await frozen.round()
  await beginErasure(database, { brandId, profileId: 5 })
  await database.query('update events set profile_id = 1 where brand_id = $1 and profile_id = 2', [brandId])
  await database.query('delete from events where brand_id = $1 and profile_id = 3', [brandId])
  return brandId
}

async function beginErasure(
  database: DrawnStore['database'],
  { brandId, profileId }: { readonly brandId: number; readonly profileId: number },
): Promise<void> {
  await database.query(
    `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     values ($1, $2, now(), '{}', '{}', '{}')`,
    [brandId, profileId],
  )
}

export const ZONE = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York')

/** Only rows can divide events by an object, so most of the time there is none in a context. */
export const EVENTS = fc
  .tuple(fc.array(DRAWN, { minLength: 20, maxLength: 60 }), fc.constantFrom('objects', 'plain', 'plain'))
  .map(([drawn, sources]) => (sources === 'objects' ? drawn : drawn.map(withoutObjects)))

function withoutObjects(drawn: Drawn): Drawn {
  return drawn.source?.startsWith('{') === true ? { ...drawn, source: '"deep"' } : drawn
}
