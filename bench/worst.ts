/**
 * The costliest legal request of every route that takes JSON: how long it keeps the loop from others, and how much
 * memory it needs. The costliest bodies found so far are in support/worst-found.json. A search with a fixed seed looks
 * for costlier ones: BENCH_SEARCH is the number of tries for each route, and with BENCH_KEEP=on the found are kept.
 * BENCH_ROUTE, a part of `POST /api/event`, takes only the routes that have it.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Route } from '../src/http/route.ts'
import { ROUTES } from '../src/http/routes.ts'
import { LIMITS } from '../src/rules/limits.ts'
import { collectGarbage } from '../src/runtime/processes/collect-garbage.ts'
import { startBenchServer } from './support/bench-server.ts'
import { LoopMeter } from './support/loop-meter.ts'
import { verdict } from './support/verdict.ts'
import type { WorstAnswer, WorstCall } from './support/worst-caller.ts'
import { MUTATION_KINDS, type Mutation, placesIn } from './support/worst-recipe.ts'

const TRIES = Number(process.env['BENCH_SEARCH'] ?? 6)
const SEARCH_MS_MAX = 150_000
const LOOP_MS_MAX = 250
const MEMORY_RATIO_MAX = 4
/** Less than this is the room that a collector always leaves, whatever the request. */
const MEMORY_BYTES_MIN = 24 * 1024 * 1024
const SAMPLE_MS = 5
const MUTATIONS_MAX = 4
const FOUND_FILE = join(import.meta.dirname, 'support/worst-found.json')

type Found = Readonly<Record<string, readonly Mutation[]>>
type Cost = WorstAnswer & { readonly loopMs: number; readonly memoryBytes: number }

const server = await startBenchServer(ROUTES, 'select 1')
const caller = fork(join(import.meta.dirname, 'support/worst-caller.ts'))
const loop = new LoopMeter()
const random = seeded(14)
const found: Found = JSON.parse(readFileSync(FOUND_FILE, 'utf8'))
const kept: Record<string, readonly Mutation[]> = {}
try {
  const endsAt = Date.now() + SEARCH_MS_MAX
  const part = process.env['BENCH_ROUTE'] ?? ''
  const routes = ROUTES.filter(
    ({ method, path, body, example }) =>
      body === 'json' && example !== undefined && `${method} ${path}`.includes(part),
  )
  if (routes[0] !== undefined) for (let warm = 0; warm < 3; warm += 1) await measure(routes[0], [])
  for (const route of routes) await judge(route, endsAt)
  if (process.env['BENCH_KEEP'] === 'on') {
    writeFileSync(FOUND_FILE, `${JSON.stringify({ ...found, ...kept }, null, 2)}\n`)
  }
} finally {
  caller.kill()
  await server.stop()
}

async function judge(route: Route, endsAt: number): Promise<void> {
  const name = `${route.method} ${route.path}`
  let mutations = found[name] ?? []
  let worst = await measure(route, mutations)
  for (let count = 0; count < TRIES && Date.now() < endsAt; count += 1) {
    const candidate = mutate(route, mutations)
    const cost = await measure(route, candidate)
    if (cost.status === 0 || cost.loopMs <= worst.loopMs) continue
    ;[mutations, worst] = [candidate, cost]
  }
  kept[name] = mutations
  const memoryMax = Math.max(worst.bytes * MEMORY_RATIO_MAX, MEMORY_BYTES_MIN)
  verdict(
    `${name}: ${mib(worst.bytes)} take ${worst.loopMs.toFixed(0)} ms of the loop and ${mib(worst.memoryBytes)} (${worst.status})`,
    worst.loopMs <= LOOP_MS_MAX && worst.memoryBytes <= memoryMax,
    `${LOOP_MS_MAX} ms, ${mib(memoryMax)}`,
  )
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}

/** Adds a change, or drops one, or doubles its size. */
function mutate({ example }: Route, mutations: readonly Mutation[]): readonly Mutation[] {
  const at = Math.floor(random() * mutations.length)
  const chosen = mutations[at]
  if (chosen !== undefined && random() < 0.4) {
    return mutations.map((one) => (one === chosen ? { ...one, size: one.size * 2 } : one))
  }
  if (mutations.length >= MUTATIONS_MAX) return mutations.toSpliced(at, 1)
  const places = placesIn(example)
  const place = places[Math.floor(random() * places.length)] ?? []
  const kind = MUTATION_KINDS[Math.floor(random() * MUTATION_KINDS.length)] ?? 'text'
  return [...mutations, { at: place, kind, size: 4 ** (2 + Math.floor(random() * 7)) }]
}

async function measure(route: Route, mutations: readonly Mutation[]): Promise<Cost> {
  collectGarbage()
  const before = memory()
  let peak = before
  const sampler = setInterval(() => {
    peak = Math.max(peak, memory())
  }, SAMPLE_MS)
  loop.start()
  const answer = await call(route, mutations)
  // What the call leaves behind is collected a moment after its reply.
  await wait(SAMPLE_MS * 20)
  const loopMs = loop.stop()
  clearInterval(sampler)
  peak = Math.max(peak, memory())
  return { ...answer, loopMs, memoryBytes: Math.max(0, peak - before) }
}

async function call(route: Route, mutations: readonly Mutation[]): Promise<WorstAnswer> {
  const asked: WorstCall = {
    url: `http://127.0.0.1:${server.port}${route.path.replaceAll(/\{\w+\}/g, '1')}`,
    method: route.method,
    headers: server.headers,
    recipe: { example: route.example, mutations },
    bytesMax: route.bodyBytesMax ?? LIMITS.bodyBytesMax,
  }
  caller.send(asked)
  const [answer]: readonly WorstAnswer[] = await once(caller, 'message')
  if (answer === undefined) throw new Error('the caller said nothing')
  return answer
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** The same numbers at every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
