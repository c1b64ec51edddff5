import { fileColumnName, type ShapedColumn } from '../../domain/events/file-columns.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { EVENT_FILE_COLUMNS, EVENT_FILE_VERSION } from '../../rules/event-files.ts'
import { duckName, duckText } from './duck-sql.ts'

/** The widest decimal that an ltv needs: 18 digits before the point and 9 after it. */
const EXACT = 'DECIMAL(27, 9)'

/** Reads a number exactly. Most fit 18 digits, which DuckDB reads fifty times faster: for `ltv` the wide type alone took a third of the work. */
function exactSql(text: string): string {
  return `coalesce(try_cast(${text} as DECIMAL(18, 9))::${EXACT}, ${text}::${EXACT})`
}

/**
 * Reads the lines that `copyHotRows` writes into the table `raw`. An empty field is null; an empty text has quotes. Two things are
 * found once and kept beside the JSON of an event: the number of its attributes, and whether all its numbers can be in columns.
 */
export function readLines(csv: string): string {
  const columns = RAW_COLUMNS.map(([column, type]) => `${duckText(column)}: ${duckText(type)}`).join(', ')
  return `create or replace table raw as select * replace (event_id ->> '$' as event_id), len(json_keys(attributes)) as keys,
      not regexp_matches(attributes, ${duckText(WIDE_NUMBER)}) as is_plain
    from read_csv(${duckText(csv)}, auto_detect = false, header = false, delim = chr(2), quote = chr(1), escape = chr(1), new_line = '\\n', nullstr = '',
    allow_quoted_nulls = false, max_line_size = 1048576, buffer_size = 8388608, columns = {${columns}})`
}

/** `chars` is no column of a file. It tells whether a line is whole. */
const RAW_COLUMNS: readonly (readonly [string, string])[] = [
  ...Object.entries(EVENT_FILE_COLUMNS).map(
    ([column, { type }]) => [column, type === 'DECIMAL' ? 'VARCHAR' : type] as const,
  ),
  ['chars', 'BIGINT'],
]

/**
 * DuckDB reads a number with a point as a double, which is exact up to 15 digits. An event with a longer number, or with a
 * whole number of 19 digits, keeps its attributes in JSON. The pattern is for the text that PostgreSQL writes; it also
 * fits some texts inside of strings, whose events are then in JSON without need.
 */
const WIDE_NUMBER = String.raw`[:,\[] ?-?(?:[0-9]{19}|[0-9]{12,}\.|[0-9]{8,}\.[0-9]{5}|[0-9]+\.[0-9]{9})`

/**
 * The table `raw` with the JSON of each attribute in the list `found`, in the order of the names. `json_transform` would make
 * a struct in one go, but takes names that differ in case for the same.
 */
function shaped(attributes: readonly string[]): string {
  if (attributes.length === 0) return 'select *, null as found from raw'
  const pointers = attributes.map((attribute) => duckText(pointerTo(attribute))).join(', ')
  return `select *, case when is_plain then json_extract(attributes, [${pointers}]) end as found from raw`
}

/** The JSON pointer (RFC 6901) to a member of an object. */
function pointerTo(attribute: string): string {
  return `/${attribute.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The JSON of an attribute, by its place in the list, and the test of its kind. */
const JSON_OF = (place: number): string => `found[${place + 1}]::varchar`
const FIRST_OF = (place: number): string => `left(${JSON_OF(place)}, 1)`
const IS_STRING = (place: number): string => `${FIRST_OF(place)} = '"'`
const IS_JSON = (place: number): string => `${FIRST_OF(place)} in ('{', '[')`
const IS_BOOLEAN = (place: number): string => `${FIRST_OF(place)} in ('t', 'f')`
const IS_NUMBER = (place: number): string => `${FIRST_OF(place)} between '-' and '9'`
const NUMBER = (place: number): string => `case when ${IS_NUMBER(place)} then ${JSON_OF(place)} end`

/** Counts the values of each kind, and how wide the numbers are: one row, with a list for each attribute. */
export function countKinds(attributes: readonly string[]): string {
  const lists = attributes.map(
    (
      _,
      place,
    ) => `[count(*) filter (where ${IS_STRING(place)})::varchar, count(*) filter (where ${IS_JSON(place)})::varchar,
      count(*) filter (where ${IS_BOOLEAN(place)})::varchar, ${widthOf(NUMBER(place))}]`,
  )
  return `with shaped as (${shaped(attributes)}) select ${lists.join(', ')} from shaped`
}

/** The width of the ltv of all rows. */
export const LTV_WIDTH = `select [${widthOf('ltv')}] from raw`

/**
 * The most digits before the point and after it, of numbers as text; null if there are none. A number with an exponent is
 * small, and counts as the widest.
 */
function widthOf(number: string): string {
  const point = `instr(${number}, '.')`
  return `max(case when contains(${number}, 'e') then 18 when ${point} = 0 then length(ltrim(${number}, '-'))
      else ${point} - 1 end)::varchar,
    max(case when contains(${number}, 'e') then 9 when ${point} = 0 then 0 else length(${number}) - ${point} end)::varchar`
}

/** The content of a file: the attributes that are looked for, their columns, and the decimal of the ltv. */
export type FileShape = {
  readonly attributes: readonly string[]
  readonly columns: readonly ShapedColumn[]
  readonly ltv: string
}

/** Writes the file. An event whose attributes are not all in columns keeps them in JSON as well. */
export function copyToFile(shape: FileShape, file: string): string {
  const { attributes, columns, ltv } = shape
  const values = columns.map((column) => `${valueOf(column)} as ${duckName(fileColumnName(column))}`)
  const present = columns
    .map((column) => `(${duckName(fileColumnName(column))} is not null)::integer`)
    .join(' + ')
  const base = Object.keys(EVENT_FILE_COLUMNS).filter((column) => column !== 'attributes')
  const typed = columns.map((column) => duckName(fileColumnName(column)))
  return `copy (
    with shaped as (${shaped(attributes)}),
    narrowed as (select * replace (ltv::${ltv} as ltv) from shaped),
    typed as (select ${[...base, 'attributes', 'keys', ...values].join(', ')} from narrowed)
    select ${base.join(', ')},
      case when keys <> ${present === '' ? '0' : present} then attributes end as attributes
      ${typed.map((column) => `, ${column}`).join('')}
    from typed order by event_name, event_at, id
  ) to ${duckText(file)} (format parquet, compression zstd, parquet_version v2, row_group_size 122880,
    kv_metadata { beckon_event_file: '${EVENT_FILE_VERSION}' })`
}

function valueOf({ kind, place, decimal }: ShapedColumn): string {
  switch (kind) {
    case 'string':
      return `case when ${IS_STRING(place)} then found[${place + 1}] ->> '$' end`
    case 'json':
      return `case when ${IS_JSON(place)} then ${JSON_OF(place)} end`
    case 'boolean':
      return `case when ${IS_BOOLEAN(place)} then ${JSON_OF(place)} = 'true' end`
    case 'number':
      return `case when ${IS_NUMBER(place)} then try_cast(${JSON_OF(place)} as ${decimal ?? EXACT}) end`
    default:
      return unreachable(kind)
  }
}

/**
 * The sums of the rows that were read, as `sumHotRows` makes them, and the number of rows with other texts than PostgreSQL
 * wrote. Zeros at the end of the decimal are cut off by the caller.
 */
export const SUM_RAW = `select count(*)::varchar, coalesce(sum(${exactSql('ltv')}), 0)::varchar, coalesce(sum(profile_id), 0)::varchar,
  coalesce(sum(id), 0)::varchar, count(*) filter (where chars is distinct from length(event_name) + length(attributes)
    + coalesce(length(context), 0) + coalesce(length(mistyped), 0) + coalesce(length(event_id), 0))::varchar,
  coalesce(sum(keys), 0)::varchar, min(event_at)::varchar, max(event_at)::varchar,
  min(id)::varchar, max(id)::varchar from raw`

/** The same of the file. Values are counted where they are: in columns, or in JSON. */
export function sumFile({ columns }: FileShape, file: string): string {
  const present = columns.map((column) => `(${duckName(fileColumnName(column))} is not null)::integer`)
  return `select count(*)::varchar, coalesce(sum(ltv), 0)::varchar, coalesce(sum(profile_id), 0)::varchar,
    coalesce(sum(id), 0)::varchar, coalesce(sum(case when attributes is null then ${['0', ...present].join(' + ')}
      else len(json_keys(attributes)) end), 0)::varchar, min(event_at)::varchar, max(event_at)::varchar, min(id)::varchar,
    max(id)::varchar from read_parquet(${duckText(file)})`
}

/** Writes the file of people. */
export function copyPeopleToFile(csv: string, file: string): string {
  return `copy (select profile_id, user_id ->> '$' as user_id from read_csv(${duckText(csv)}, auto_detect = false,
      header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
      columns = {'profile_id': 'BIGINT', 'user_id': 'VARCHAR'}) order by profile_id)
    to ${duckText(file)} (format parquet, compression zstd, parquet_version v2)`
}
