import { createHash } from 'node:crypto'
import type { SignInRequest } from '../author.ts'
import { Binds } from '../bind.ts'
import type { Database } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'

/** A row of a table of members, as the sign-in library sees it: columns by name, instants as `Date`. */
export type TeamRow = Readonly<Record<string, unknown>>

/** One condition; conditions joined by `or` stand together, all others must hold. */
export type TeamCondition = {
  readonly column: string
  readonly operator: keyof typeof OPERATORS
  readonly value: unknown
  readonly joint: 'and' | 'or'
}

export type TeamQuery = { readonly table: string; readonly where: readonly TeamCondition[] }

/** The database, and the request for which the library works, as the author of its changes in the audit log. */
export type TeamPlace = { readonly database: Database; readonly request: SignInRequest }

type Page = {
  readonly limit?: number
  readonly offset?: number
  readonly sortBy?: { readonly column: string; readonly isDescending: boolean }
}

/**
 * Rows for the sign-in library, which thinks in tables and conditions. Names of tables and columns come from our own
 * configuration of the library and never from a request; a name of another shape is an error.
 *
 * A session is stored as the hash of its token: whoever reads the table cannot sign in with it. The library gives and
 * gets the token itself. Every change that ends a session or a member tells the processes that cache their callers.
 */
export const teamRows = {
  async insert({ database, request }: TeamPlace, table: string, row: TeamRow): Promise<TeamRow> {
    const columns = Object.keys(row).map(named)
    const binds = new Binds()
    const values = columns.map((column) => binds.add(storedValue(table, column, row[column])))
    const text = `insert into ${named(table)} (${columns.join(', ')}) values (${values.join(', ')}) returning *`
    const { rows } = await database.asTeam(async (tx) => tx.query<TeamRow>(text, binds.values), request)
    const [made] = rows
    if (made === undefined) throw new Error('an inserted row did not come back')
    return { ...readRow(made), ...(table === SESSIONS ? { token: row['token'] } : {}) }
  },

  async select(
    { database }: Pick<TeamPlace, 'database'>,
    query: TeamQuery,
    page: Page = {},
  ): Promise<readonly TeamRow[]> {
    const binds = new Binds()
    const order =
      page.sortBy === undefined
        ? ''
        : ` order by ${named(page.sortBy.column)}${page.sortBy.isDescending ? ' desc' : ''}`
    const { rows } = await database.team.query<TeamRow>(
      `select * from ${named(query.table)} where ${conditionsOf(query, binds)}${order}
       limit ${binds.add(Math.min(page.limit ?? ROWS_MAX, ROWS_MAX))} offset ${binds.add(page.offset ?? 0)}`,
      binds.values,
    )
    return rows.map((row) => ({ ...readRow(row), ...givenToken(query) }))
  },

  async count({ database }: Pick<TeamPlace, 'database'>, query: TeamQuery): Promise<number> {
    const binds = new Binds()
    const { rows } = await database.team.query<{ count: number }>(
      `select count(*)::integer as count from ${named(query.table)} where ${conditionsOf(query, binds)}`,
      binds.values,
    )
    return rows[0]?.count ?? 0
  },

  /** Changes rows, and adds to numbers in the same statement. */
  async update(
    place: TeamPlace,
    query: TeamQuery,
    { set, add = {} }: { readonly set: TeamRow; readonly add?: Readonly<Record<string, number>> },
  ): Promise<readonly TeamRow[]> {
    const binds = new Binds()
    const { table } = query
    const changes = [
      ...Object.entries(set).map(
        ([column, value]) => `${named(column)} = ${binds.add(storedValue(table, column, value))}`,
      ),
      ...Object.entries(add).map(
        ([column, value]) => `${named(column)} = ${named(column)} + ${binds.add(value)}`,
      ),
    ]
    if (changes.length === 0) return teamRows.select(place, query)
    const text = `update ${named(table)} set ${changes.join(', ')} where ${conditionsOf(query, binds)} returning *`
    return change(place, query, { text, values: binds.values })
  },

  /** Deletes rows and returns them: of two who delete one row at once, one gets it. */
  async remove(place: TeamPlace, query: TeamQuery): Promise<readonly TeamRow[]> {
    const binds = new Binds()
    const text = `delete from ${named(query.table)} where ${conditionsOf(query, binds)} returning *`
    return change(place, query, { text, values: binds.values })
  },
} as const

/** How a session is stored. */
export function sessionHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

const SESSIONS = 'member_sessions'
/** No list of the library is longer. */
const ROWS_MAX = 1_000

type Change = { readonly text: string; readonly values: readonly unknown[] }

async function change(
  { database, request }: TeamPlace,
  query: TeamQuery,
  { text, values }: Change,
): Promise<readonly TeamRow[]> {
  const endsSessions = query.table === SESSIONS || query.table === 'members'
  const rows = await database.asTeam(async (tx) => {
    const changed = await tx.query<TeamRow>(text, values)
    if (endsSessions) await notifyKeysGone(tx)
    return changed.rows
  }, request)
  return rows.map((row) => ({ ...readRow(row), ...givenToken(query) }))
}

const OPERATORS = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: '= any',
  not_in: '<> all',
} as const

function conditionsOf({ table, where }: TeamQuery, binds: Binds): string {
  const parts = where.map((condition) => ({ condition, sql: conditionSql(table, condition, binds) }))
  const all = parts.filter(({ condition }) => condition.joint === 'and').map(({ sql }) => sql)
  const some = parts.filter(({ condition }) => condition.joint === 'or').map(({ sql }) => sql)
  const joint = some.length === 0 ? [] : [`(${some.join(' or ')})`]
  // A statement without a condition would reach every member.
  if (parts.length === 0) throw new Error(`a statement on ${table} has no condition`)
  return [...all, ...joint].join(' and ')
}

function conditionSql(table: string, { column, operator, value }: TeamCondition, binds: Binds): string {
  if (value === null) return `${named(column)} is ${operator === 'ne' ? 'not ' : ''}null`
  const bound = binds.add(
    Array.isArray(value)
      ? value.map((item) => storedValue(table, column, item))
      : storedValue(table, column, value),
  )
  const isList = operator === 'in' || operator === 'not_in'
  return `${named(column)} ${OPERATORS[operator]} ${isList ? `(${bound})` : bound}`
}

function storedValue(table: string, column: string, value: unknown): unknown {
  // The tokens of an identity provider are needed for the sign-in alone, so none is kept.
  if (table === 'member_accounts' && PROVIDER_TOKENS.has(column)) return null
  return table === SESSIONS && column === 'token' ? sessionHash(String(value)) : value
}

const PROVIDER_TOKENS = new Set(['access_token', 'refresh_token', 'id_token'])

/** The token that a session was asked for by. */
function givenToken({ table, where }: TeamQuery): TeamRow {
  if (table !== SESSIONS) return {}
  const asked = where.find(({ column, operator }) => column === 'token' && operator === 'eq')
  return asked === undefined ? {} : { token: asked.value }
}

function readRow(row: TeamRow): TeamRow {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, readValue(column, value)]))
}

function readValue(column: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'number' && INSTANT.test(column) ? new Date(value) : value
}

const INSTANT = /(?:_at|_until)$/
const NAME = /^[a-z_]+$/

function named(name: string): string {
  if (!NAME.test(name)) throw new Error(`${name} is no name of a table or column`)
  return name
}
