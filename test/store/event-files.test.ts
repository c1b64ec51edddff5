import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { fileColumnName } from '../../src/domain/events/file-columns.ts'
import { firstIdAt, WEEK_MS } from '../../src/domain/events/week.ts'
import { EVENT_FILE_COLUMNS, FILE_COLUMN_KINDS } from '../../src/rules/event-files.ts'
import { freshDatabase } from '../support/database/database.ts'
import { askFiles, type Found, withExport } from '../support/events/exported.ts'
import { lockAttributes } from '../support/events/lock-attributes.ts'

const NOW = Date.parse('2026-11-04T12:00:00Z')
const { url, database, brand, drop } = await freshDatabase()
after(drop)

type Stored = {
  readonly name: string
  readonly attributes: string
  readonly ltv?: string
  readonly at?: number
}

let lastPlace = 0

/** Stores events as they are in PostgreSQL, and the locks that name their attributes. `attributes` is JSON. */
async function store(brandId: number, events: readonly Stored[]): Promise<void> {
  const rows = events.map(({ name, attributes, ltv = '10', at = NOW }) => ({
    id: String(firstIdAt(at) + BigInt(lastPlace++)),
    name,
    ltv,
    at: new Date(at).toISOString(),
    attributes,
  }))
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes, context, event_id)
     select id, id % 7 + 1, at, $1, false, name, ltv, attributes::jsonb,
       case when id % 3 = 0 then '{"utm": {"source": "a\\nb, \\"c\\""}}'::jsonb end,
       case id % 4 when 0 then E'line\\nbreak, "quoted"' when 1 then '' end
     from jsonb_to_recordset($2::jsonb) as e (id bigint, name text, ltv numeric, at timestamptz, attributes text)`,
    [brandId, JSON.stringify(rows)],
  )
  await lockAttributes(database, brandId)
}

/** The attributes of an event of a file: from JSON if it is there, else from the columns. */
function attributesOf(row: Found): string {
  if (typeof row['attributes'] === 'string') return canonical(JSON.parse(row['attributes'], exactNumber))
  const found: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    const [kind = '', ...rest] = column.split('.')
    if (value === null || !(kind in FILE_COLUMN_KINDS)) continue
    const attribute = rest.join('.').replaceAll(/\^(.)/gu, '$1')
    found[attribute] = kind === 'json' ? JSON.parse(String(value), exactNumber) : readValue(kind, value)
  }
  return canonical(found)
}

function readValue(kind: string, value: unknown): unknown {
  return kind === 'number' ? { number: trimmed(String(value)) } : value
}

/** Keeps the digits of a number, without zeros at the end. */
function exactNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? { number: trimmed(context?.source ?? '') } : value
}

function trimmed(number: string): string {
  return number.includes('.') && !/e/i.test(number) ? number.replace(/\.?0+$/, '') : number
}

function canonical(value: unknown): string {
  return JSON.stringify(Object.entries(Object(value)).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Compares every event of the files with its row. */
async function compare(brandId: number): Promise<void> {
  const { rows } = await database.query<Found>(
    `select id::text, profile_id::text, event_name, trim_scale(ltv)::text as ltv, event_id, context::text as context,
       attributes::text as attributes, (event_at at time zone 'UTC')::text as event_at
     from events where brand_id = $1 order by id`,
    [brandId],
  )
  await withExport({ url, brandId }, async (folder) => {
    const found = await askFiles(
      `select * from read_parquet('${folder}/week=*/*.parquet', union_by_name = true) order by id`,
    )
    assert.equal(found.length, rows.length)
    for (const [place, row] of rows.entries()) {
      const file = found[place] ?? {}
      for (const same of ['id', 'profile_id', 'event_name', 'event_id', 'context'])
        assert.equal(file[same], row[same], same)
      assert.equal(trimmed(String(file['ltv'])), row['ltv'])
      assert.equal(file['event_at'], row['event_at'])
      assert.equal(attributesOf(file), canonical(JSON.parse(String(row['attributes']), exactNumber)))
    }
  })
}

test('every value comes back as it was stored: digits, capital letters, empty texts, lists', async () => {
  const { brandId } = await brand()
  await store(brandId, [
    { name: 'order', attributes: '{"total": 49.9, "sku": "A-1", "gift": true, "on": "2026-01-02"}' },
    {
      name: 'order',
      attributes: '{"total": 12, "Total": "twelve", "TOTAL": false, "7": 1, "1": 2}',
      ltv: '0.000000001',
    },
    { name: 'order', attributes: '{"total": 0.12345678901234567890}', ltv: '999999999999999999.999999999' },
    { name: 'order', attributes: '{"total": 123456789012345678901234567890}', ltv: '-5' },
    { name: 'order', attributes: '{"total": 999999999999999999, "small": 0.0000001}' },
    { name: 'order', attributes: '{"total": -12345678.9012, "large": 99999999999.9999}' },
    { name: 'order', attributes: '{"total": "now a text", "sku": 5}' },
    { name: 'view', attributes: '{}' },
    {
      name: 'view',
      attributes: '{"empty": "", "quote": "\\"", "line": "a\\nb", "comma": "a,b", "null": "\\\\N"}',
    },
    {
      name: 'view',
      attributes: '{"items": [{"n": 1.50}, {"n": "x"}], "nested": {"a": {"b": [1, null]}}, "none": []}',
    },
    {
      name: 'view',
      attributes: '{"a\\"b": 1, "c^d": 2, "e.f": 3, "ümlaut": "ß", "Übung": "🎈", "/x~y": true}',
    },
  ])
  await compare(brandId)
})

test('random events come back as they were stored', async () => {
  const { brandId } = await brand()
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\u0000')),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.integer(), fc.string({ maxLength: 3 }))),
  )
  const names = fc.constantFrom('a', 'A', 'b', 'B', '10', '2', 'a b', 'é', 'É', '^', '^a')
  const event = fc.record({
    name: fc.constantFrom('x', 'y', 'Z'),
    attributes: fc.dictionary(names, value).map((attributes) => JSON.stringify(attributes)),
    at: fc.integer({ min: NOW - 3 * WEEK_MS, max: NOW }),
  })
  const events = fc.sample(event, 2_000).filter(({ attributes }) => !attributes.includes('\\u0000'))
  await store(brandId, events)
  await compare(brandId)
})

function orderAttributes(n: number): string {
  return JSON.stringify({ total: n / 4, sku: `sku-${n % 9}`, firstName: 'Ada', gift: n % 2 === 0 })
}

test('an attribute has a typed column, and only rows that need it have JSON', async () => {
  const { brandId } = await brand()
  await store(
    brandId,
    Array.from({ length: 500 }, (_, n) => ({ name: `event ${n % 3}`, attributes: orderAttributes(n) })),
  )
  await withExport({ url, brandId }, async (folder) => {
    const files = `read_parquet('${folder}/week=*/*.parquet')`
    const columns = await askFiles(
      `select column_name as name, column_type as type from (describe select * from ${files})`,
    )
    const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]))
    assert.deepEqual(Object.keys(types).slice(0, 12), Object.keys(EVENT_FILE_COLUMNS))
    assert.equal(types['number.total'], 'DECIMAL(18,2)')
    assert.equal(types['string.sku'], 'VARCHAR')
    assert.equal(types['string.first^Name'], 'VARCHAR')
    assert.equal(types['boolean.gift'], 'BOOLEAN')
    assert.equal(types['event_at'], 'TIMESTAMP')
    const sums = await askFiles(
      `select sum("number.total")::varchar as total, count(attributes)::integer as json from ${files}`,
    )
    assert.deepEqual(sums, [{ total: '31187.50', json: 0 }])
  })
})

test('the rows of a file are sorted by name and time, and no file is left half written', async () => {
  const { brandId } = await brand()
  const events = Array.from({ length: 300 }, (_, n) => ({
    name: `event ${(n * 7) % 5}`,
    attributes: '{}',
    at: NOW - ((n * 7919) % 300) * 1000,
  }))
  await store(brandId, events)
  await withExport({ url, brandId }, async (folder) => {
    const rows = await askFiles(
      `select event_name, event_at from read_parquet('${folder}/week=2026-11-02/events-0001.parquet')`,
    )
    const keys = rows.map((row) => `${row['event_name']} ${row['event_at']}`)
    assert.deepEqual(keys, keys.toSorted())
    const names = await readdir(folder, { recursive: true })
    assert.deepEqual(names.toSorted(), [
      'people.parquet',
      'week=2026-11-02',
      'week=2026-11-02/events-0001.parquet',
    ])
  })
})

test('only the events and people of the brand are in its files, and nobody who is being erased', async () => {
  const [mine, other] = [await brand(), await brand()]
  await store(other.brandId, [{ name: 'other', attributes: '{"secret": "other"}' }])
  await store(
    mine.brandId,
    Array.from({ length: 14 }, () => ({ name: 'mine', attributes: '{}' })),
  )
  await database.query(
    `insert into profiles (brand_id, id, created_at, updated_at)
     select brand, n, now(), now() from unnest($1::integer[]) as brand, generate_series(1, 7) as n where n <> 3`,
    [[mine.brandId, other.brandId]],
  )
  await database.query(
    `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select brand, 'user_id', brand || '-' || n, n, now() from unnest($1::integer[]) as brand, generate_series(1, 7) as n where n <> 3`,
    [[mine.brandId, other.brandId]],
  )
  await database.query(
    `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     values ($1, 3, now(), '{}', '{}', '{}')`,
    [mine.brandId],
  )
  await withExport({ url, brandId: mine.brandId }, async (folder) => {
    const files = `read_parquet('${folder}/week=*/*.parquet')`
    const events = await askFiles(
      `select distinct event_name, profile_id::integer as profile from ${files} order by 2`,
    )
    assert.deepEqual(
      events,
      [1, 2, 4, 5, 6, 7].map((profile) => ({ event_name: 'mine', profile })),
    )
    const people = await askFiles(`select user_id from '${folder}/people.parquet' order by 1`)
    assert.deepEqual(
      people.map((row) => row['user_id']),
      [1, 2, 4, 5, 6, 7].map((n) => `${mine.brandId}-${n}`),
    )
  })
})

test('a brand without events has an empty list of people and no week', async () => {
  const { brandId } = await brand()
  await withExport({ url, brandId }, async (folder) =>
    assert.deepEqual(await readdir(folder), ['people.parquet']),
  )
})

test('no two attributes have columns whose names differ in case only', () => {
  const attribute = fc.string({ unit: fc.constantFrom('a', 'A', '^', 'b', 'É', 'é', '.'), maxLength: 5 })
  fc.assert(
    fc.property(attribute, attribute, (one, other) => {
      const [first, second] = [one, other].map((name) =>
        fileColumnName({ kind: 'string', attribute: name }).toLowerCase(),
      )
      assert.equal(first === second, one === other)
    }),
  )
})

test('docs/event-files.md lists the columns and the kinds', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/event-files.md'), 'utf8')
  for (const [column, { type, meaning }] of Object.entries(EVENT_FILE_COLUMNS)) {
    assert.ok(page.includes(`| \`${column}\` | ${type} | ${meaning} |`), column)
  }
  for (const [kind, { type, holds }] of Object.entries(FILE_COLUMN_KINDS)) {
    assert.ok(page.includes(`| \`${kind}\` | ${type} | ${holds} |`), kind)
  }
})
