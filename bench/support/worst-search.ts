import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { encodeJson, isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { COMPONENTS } from '../../src/http/reference/openapi-components.ts'
import type { Route } from '../../src/http/route.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { valuesOf } from '../../test/support/reference/schema-values.ts'
import { SeededRandom } from '../../test/support/seeded-random.ts'
import { legalOf } from './worst-legal.ts'
import { MUTATION_KINDS, type Mutation, placesIn, type Recipe } from './worst-recipe.ts'

/** The costliest requests of a route so far, and how often a costlier one was looked for. */
export type Found = {
  readonly tries: number
  readonly accepted: Recipe | null
  readonly refused: Recipe | null
}

export type FoundByRoute = Readonly<Record<string, Found>>

const FOUND_FILE = join(import.meta.dirname, 'worst-found.json')
const ROOT: object = JSON.parse(encodeJson({ components: COMPONENTS }))
const MUTATIONS_MAX = 4
/** Sizes about which there are limits, and some far beyond. */
const SIZES = [10, 50, 100, 254, 500, 999, 1_000, 4_000, 10_000, 60_000, 250_000, 1_000_000]
const SAMPLES = 20
/** As many as fit in 1 MiB, and as many as one object may have. */
const FLOODS = [
  { kind: 'blanks', size: 300_000 },
  { kind: 'keys', size: 60_000 },
  { kind: 'wide', size: 60_000 },
  { kind: 'wider', size: 60_000 },
  { kind: 'nulls', size: EVENT_LIMITS.bodyMembersMax - 20 },
] as const
const FLOOD_DEPTH = 2
const FLOODS_MAX = 40

export function readFound(): FoundByRoute {
  return JSON.parse(readFileSync(FOUND_FILE, 'utf8'))
}

export function writeFound(found: FoundByRoute): void {
  const sorted = Object.entries(found).toSorted(([one], [other]) => one.localeCompare(other))
  const lines = sorted.map(([name, value]) => `${encodeJson(name)}: ${encodeJson(value)}`)
  writeFileSync(FOUND_FILE, `{\n${lines.join(',\n')}\n}\n`)
}

/** Whether all of a request stands in its address. */
export function isOfQuery({ method, body, querySchema }: Route): boolean {
  return method === 'GET' || (body === 'none' && querySchema !== undefined)
}

/** The most rows that a caller may ask for in one page; null for a route without pages. */
export function pageRowsMax({ querySchema }: Route): number | null {
  const { limit } = Object(Object(querySchema).properties)
  return limit === undefined ? null : Number(limit.maximum ?? LIMITS.pageSizeMax)
}

/** The next request to try: one of those found before, changed, or a new one of the route's schema. */
export class Proposer {
  readonly #random: SeededRandom
  readonly #bodies: readonly JsonObject[]
  readonly #route: Route

  constructor(route: Route, seed: number) {
    this.#route = route
    this.#random = new SeededRandom(seed)
    this.#bodies = [...legalOf(`${route.method} ${route.path}`), ...bodiesOf(route, seed)]
  }

  /** The plain request of the route. */
  first(): Recipe {
    return { body: this.#bodies[0] ?? {}, mutations: [] }
  }

  next({ accepted, refused }: Found): Recipe {
    const chance = this.#random.next()
    const base = chance < 0.6 ? accepted : refused
    if (base === null || chance > 0.75 || isOfQuery(this.#route)) {
      return this.#mutate({ body: this.#random.pick(this.#bodies) ?? {}, mutations: [] })
    }
    return this.#mutate(base)
  }

  /** The plain request with far too many members in one of its lists or objects, or in a list where none belongs. */
  floods(): readonly Recipe[] {
    if (isOfQuery(this.#route) || this.#route.body === 'stream') return []
    const { body } = this.first()
    return placesIn(body)
      .filter((at) => at.length <= FLOOD_DEPTH)
      .flatMap((at) =>
        FLOODS.map(({ kind, size }) => ({ body, mutations: [{ at, kind, size }] }) satisfies Recipe),
      )
      .slice(0, FLOODS_MAX)
  }

  /** Adds a change, drops one, or makes one larger or smaller. */
  #mutate({ body, mutations }: Recipe): Recipe {
    if (isOfQuery(this.#route)) return { body, mutations: [] }
    const chosen = this.#random.pick(mutations)
    if (chosen !== undefined && this.#random.next() < 0.5) {
      const factor = this.#random.pick([0.5, 0.8, 1.25, 2]) ?? 2
      const size = Math.max(1, Math.round(chosen.size * factor))
      return { body, mutations: mutations.map((one) => (one === chosen ? { ...one, size } : one)) }
    }
    if (mutations.length >= MUTATIONS_MAX) {
      return { body, mutations: mutations.filter((one) => one !== chosen) }
    }
    return { body, mutations: [...mutations, this.#change(body)] }
  }

  #change(body: JsonObject): Mutation {
    const at = this.#random.pick(placesIn(body)) ?? []
    const kind = this.#random.pick(MUTATION_KINDS) ?? 'text'
    return { at, kind, size: this.#random.pick(SIZES) ?? 1 }
  }
}

/** The example of a route, and small bodies or queries that fit its schema. */
function bodiesOf(route: Route, seed: number): readonly JsonObject[] {
  const { example, body, bodySchema, querySchema } = route
  if (isOfQuery(route)) {
    const limit = pageRowsMax(route)
    if (limit === null) return [{}, ...samplesOf(querySchema, seed)]
    const page = { limit }
    return [page, ...samplesOf(querySchema, seed).map((query) => ({ ...query, ...page }))]
  }
  if (body === 'stream') return STREAMED
  return [...(isJsonObject(example) ? [example] : []), ...samplesOf(bodySchema, seed)]
}

function samplesOf(schema: unknown, seed: number): readonly JsonObject[] {
  if (schema === undefined) return []
  return fc.sample(valuesOf(schema, ROOT), { numRuns: SAMPLES, seed }).filter(isJsonObject)
}

/** Lists that are imported, with one row. */
const STREAMED: readonly JsonObject[] = [
  { rows: [{ platform: 'android', token: 't', user_id: 'u', tags: ['a'] }] },
  { rows: [{ user_id: 'u' }] },
]
