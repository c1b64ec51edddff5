import type { JsonObject } from '../../src/domain/values/json.ts'
import { LIMITS } from '../../src/rules/limits.ts'

/** One change of a body towards more work; `at` is the place of the changed value. */
export type Mutation = {
  readonly at: readonly (string | number)[]
  readonly kind: MutationKind
  readonly size: number
}

export type MutationKind = keyof typeof GROW

/** A large body, told as a small one and its changes, so that 60 MB fit in a line. For a GET, `body` is its query. */
export type Recipe = { readonly body: JsonObject; readonly mutations: readonly Mutation[] }

export function bodyOf({ body, mutations }: Recipe): unknown {
  return mutations.reduce<unknown>(
    (grown, { at, kind, size }) => replaceAt(grown, at, (old) => GROW[kind](old, size)),
    body,
  )
}

/** The ways in which a value grows. Each returns a new value in place of the old one. */
const GROW = {
  text: (_, size) => 'x'.repeat(size),
  escapes: (_, size) => '"\\\n\u0001'.repeat(size / 4),
  emoji: (_, size) => '\u{1F642}'.repeat(size / 4),
  templates: (_, size) => '{{ user.name | upcase }}'.repeat(size / 24),
  repeated: (old, size) => Array.from({ length: size }, () => first(old)),
  numbered: (old, size) => Array.from({ length: size }, (_, at) => tell(first(old), at)),
  keys: (old, size) => ({ ...Object(old), ...numbered(size, (at) => at) }),
  texts: (old, size) => ({ ...Object(old), ...numbered(size, (at) => `2026-01-02 ${'y'.repeat(200)}${at}`) }),
  objects: (old, size) => ({ ...Object(old), ...numbered(size, (at) => ({ a: [{ b: at }] })) }),
  nulls: (old, size) => ({ ...Object(old), ...numbered(size, () => null) }),
  wide: (old, size) =>
    Array.from({ length: size / WIDE }, () => ({ ...Object(first(old)), ...numbered(WIDE, (at) => at) })),
  wider: (old, size) => ({ ...Object(old), ...numbered(size / WIDE, () => numbered(WIDE, (at) => at)) }),
  lists: (_, size) => Array.from({ length: size }, () => []),
  blanks: (_, size) => Array.from({ length: size }, () => ''),
  numbers: (_, size) => Array.from({ length: size }, (__, at) => at * 1e15 + 0.5),
  digits: (old, size) => ({ ...Object(old), ...numbered(size, (at) => 9_007_199_254_740_992 + at * 2) }),
  deep: (_, size) => JSON.parse('[{"a":'.repeat(size) + '1' + '}]'.repeat(size)),
} satisfies Record<string, (old: unknown, size: number) => unknown>

export const MUTATION_KINDS = [
  'text',
  'escapes',
  'emoji',
  'templates',
  'repeated',
  'numbered',
  'keys',
  'texts',
  'objects',
  'nulls',
  'wide',
  'wider',
  'lists',
  'blanks',
  'numbers',
  'digits',
  'deep',
] as const satisfies readonly MutationKind[]

/** The members of objects in a list, a few less than one object may have. */
const WIDE = LIMITS.bodyMembersMax - 20

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}

/** The same value, told apart from its neighbours by a number in its id, or in itself. */
function tell(value: unknown, at: number): unknown {
  if (typeof value === 'string') return `${value}${at}`
  const { id } = Object(value)
  return id === undefined ? value : { ...Object(value), id: `${id}${at}` }
}

function numbered(size: number, valueOf: (at: number) => unknown): object {
  return Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, valueOf(at)]))
}

function replaceAt(value: unknown, at: Mutation['at'], grow: (old: unknown) => unknown): unknown {
  const [next, ...rest] = at
  if (next === undefined) return grow(value)
  if (Array.isArray(value)) return value.map((item) => replaceAt(item, rest, grow))
  return { ...Object(value), [next]: replaceAt(Object(value)[next], rest, grow) }
}

/** Every place of a document, the document itself excepted. A list has one place for all its items. */
export function placesIn(value: unknown): readonly Mutation['at'][] {
  if (typeof value !== 'object' || value === null) return []
  const members = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value)
  return [...members].flatMap(([name, member]) => [[name], ...placesIn(member).map((at) => [name, ...at])])
}
