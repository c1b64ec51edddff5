import { ATTRIBUTE_TYPES } from '../../rules/attributes.ts'
import type { CatalogueAttribute } from '../../store/catalogue/attributes.ts'
import type { ListedValue } from '../../store/catalogue/lists.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf, NEXT_CURSOR } from '../schema/view.ts'

export function renderAttribute(row: CatalogueAttribute): object {
  return {
    name: row.attribute,
    type: ATTRIBUTE_TYPES[row.type].label,
    is_provisional: row.isProvisional,
    count: row.uses,
    last_seen: instantOf(row.lastSeenAt),
    values: row.values,
  }
}

export function renderListed({ value, count, lastSeenAt }: ListedValue): object {
  return { value, count, last_seen: instantOf(lastSeenAt) }
}

const ESTIMATED = {
  estimated: Type.Boolean({ description: 'Whether the numbers come from a sample.' }),
} as const

const COUNT = Type.Integer()
const VALUES = Type.Array(Type.Object({ value: Type.Unknown(), count: COUNT }), {
  description: 'The most frequent texts, numbers and booleans, most frequent first.',
})

export const ATTRIBUTES_VIEW = Type.Object({
  attributes: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Enum(Object.values(ATTRIBUTE_TYPES).map(({ label }) => label)),
      is_provisional: Type.Boolean({ description: 'Whether only browsers sent it.' }),
      count: Type.Integer({ description: 'The people who have it; for an event, the values that came.' }),
      last_seen: INSTANT,
      values: VALUES,
    }),
  ),
  ...ESTIMATED,
  ...NEXT_CURSOR,
})

export const VALUES_VIEW = Type.Object({ values: VALUES, ...ESTIMATED })

export const LISTED_VIEW = Type.Array(
  Type.Object({
    value: Type.String(),
    count: Type.Integer({ description: 'Live devices.' }),
    last_seen: INSTANT,
  }),
)

export const LIST_ESTIMATED = ESTIMATED

export const TAGS_VIEW = Type.Object({
  tags: Type.Array(
    Type.Object({
      value: Type.String(),
      count: Type.Integer({ description: 'The live devices and the people that carry it.' }),
      last_seen: Type.String({ format: 'date-time', description: 'When it was last given to one of them.' }),
    }),
  ),
  estimated: Type.Boolean({ description: 'Always false: tags are counted one by one.' }),
  ...NEXT_CURSOR,
})
