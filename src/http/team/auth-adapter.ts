import { createAdapterFactory } from 'better-auth/adapters'
import { type TeamCondition, type TeamPlace, teamRows } from '../../store/team/rows.ts'

type LibraryCondition = {
  readonly field: string
  readonly operator?: string | undefined
  readonly value: unknown
  readonly connector?: 'AND' | 'OR' | undefined
}

/** The tables of members, as the sign-in library reads and writes them. */
export function adapterOf(place: TeamPlace) {
  return createAdapterFactory({
    config: { adapterId: 'beckon', supportsJSON: false, supportsArrays: false },
    adapter: ({ getFieldName }) => ({
      create: async ({ model, data }) => given(await teamRows.insert(place, model, data)),
      findOne: async ({ model, where }) =>
        givenOrNull(await teamRows.select(place, queryOf(model, where), { limit: 1 })),
      findMany: async ({ model, where = [], limit, offset = 0, sortBy }) => {
        const order =
          sortBy === undefined
            ? {}
            : {
                sortBy: {
                  column: getFieldName({ model, field: sortBy.field }),
                  isDescending: sortBy.direction === 'desc',
                },
              }
        const rows = await teamRows.select(place, queryOf(model, where), { limit, offset, ...order })
        return rows.map((row) => given(row))
      },
      count: async ({ model, where = [] }) => teamRows.count(place, queryOf(model, where)),
      update: async ({ model, where, update }) =>
        givenOrNull(await teamRows.update(place, queryOf(model, where), { set: given(update) })),
      updateMany: async ({ model, where, update }) =>
        (await teamRows.update(place, queryOf(model, where), { set: update })).length,
      delete: async ({ model, where }) => void (await teamRows.remove(place, queryOf(model, where))),
      deleteMany: async ({ model, where }) => (await teamRows.remove(place, queryOf(model, where))).length,
      consumeOne: async ({ model, where }) =>
        givenOrNull(await teamRows.remove(place, queryOf(model, where))),
      incrementOne: async ({ model, where, increment, set = {} }) =>
        givenOrNull(await teamRows.update(place, queryOf(model, where), { set, add: increment })),
    }),
  })
}

function queryOf(table: string, where: readonly LibraryCondition[]) {
  return { table, where: where.map(conditionOf) }
}

function conditionOf({ field, operator = 'eq', value, connector }: LibraryCondition): TeamCondition {
  if (!isOperator(operator)) throw new Error(`the sign-in library asks for ${operator}`)
  return { column: field, operator, value, joint: connector === 'OR' ? 'or' : 'and' }
}

const OPERATORS: readonly string[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in']

function isOperator(operator: string): operator is TeamCondition['operator'] {
  return OPERATORS.includes(operator)
}

/**
 * The library says what type it expects of a row; the tables have the columns of that type. A type that only the caller
 * knows is the shape of the library's adapter, so the rule against it is off here.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function given<Row>(row: unknown): Row {
  if (isExpected<Row>(row)) return row
  throw new Error('a row is missing')
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function givenOrNull<Row>([row]: readonly unknown[]): Row | null {
  return row === undefined ? null : given(row)
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function isExpected<Row>(row: unknown): row is Row {
  return typeof row === 'object' && row !== null
}
