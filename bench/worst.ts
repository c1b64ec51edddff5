/**
 * The costliest request of every route that takes a body or a query: how long it keeps the loop from others, how much
 * memory it needs, and how long the database works on it. The costliest that were found are in support/worst-found.json, and each run measures them again.
 * BENCH_SEARCH=240 looks for costlier ones for that many seconds, beginning with the routes that were searched least,
 * and keeps what it finds; a route is done after `triesMax` tries. BENCH_SWEEP=1 tries each list and object of each body
 * with more members than it may have. Words after the name, as in `npm run bench -- worst funnel/people 'GET /api/v1/brand'`,
 * take only the routes that have one of them.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Route } from '../src/http/route.ts'
import { ROUTES } from '../src/http/routes.ts'
import { LIMITS } from '../src/rules/limits.ts'
import { collectGarbage } from '../src/runtime/processes/collect-garbage.ts'
import { STATEMENT_TIMEOUT_MS } from '../src/store/session-settings.ts'
import { startBenchServer } from './support/bench-server.ts'
import { saveFigure } from './support/figures.ts'
import { LoopMeter } from './support/loop-meter.ts'
import { verdict } from './support/verdict.ts'
import type { WorstAnswer, WorstCall } from './support/worst-caller.ts'
import { makeWorstPlace } from './support/worst-place.ts'
import type { Recipe } from './support/worst-recipe.ts'
import { type Found, isOfQuery, Proposer, readFound, writeFound } from './support/worst-search.ts'

const SEARCH_MS = Number(process.env['BENCH_SEARCH'] ?? 0) * 1_000
const IS_SWEPT = process.env['BENCH_SWEEP'] === '1'
/** Tries of one route before the next has its turn. */
const TRIES_AT_ONCE = 10
const LOOP_MS_MAX = 250
const MEMORY_RATIO_MAX = 4
/** Less than this is the room that a collector always leaves, whatever the request. */
const MEMORY_BYTES_MIN = 24 * 1024 * 1024
/** A third of the time after which PostgreSQL ends a statement. */
const REPLY_MS_MAX = STATEMENT_TIMEOUT_MS / 3
const SAMPLE_MS = 5
/** Collecting takes some 20 ms, so the call waits for it most of the time. */
const HELD_SAMPLE_MS = 10
const STREAM_BYTES_MAX = 32 * 1024 * 1024
/** Streams without an end; `test/fault/live-streams.test.ts` holds what they may cost. */
const ENDLESS = new Set(['GET /api/v1/events/tail', 'GET /api/v1/live'])

type Cost = WorstAnswer & { readonly loopMs: number; readonly memoryBytes: number }

const PLENTY = 1_000_000_000
const { server, stop } = await startBenchServer(ROUTES, 'select 1', {
  budgets: { kibibytes: PLENTY, rows: PLENTY, profiles: PLENTY, names: PLENTY },
})
const place = await makeWorstPlace(server).catch(async (cause: unknown) => {
  await stop()
  throw cause
})
const caller = fork(join(import.meta.dirname, 'support/worst-caller.ts'))
const loop = new LoopMeter()
const found: Record<string, Found> = { ...readFound() }
try {
  const parts = process.argv.slice(3)
  const isAsked = (name: string): boolean => parts.length === 0 || parts.some((part) => name.includes(part))
  const routes = ROUTES.filter((route) => hasInput(route) && isAsked(nameOf(route)))
  if (routes[0] !== undefined) for (let warm = 0; warm < 3; warm += 1) await measurePlain(routes[0])
  if (IS_SWEPT) await sweep(routes)
  if (SEARCH_MS > 0) await search(routes, Date.now() + SEARCH_MS)
  const judged: Judged[] = []
  for (const route of routes) judged.push(...(await judge(route)))
  saveCostliest(judged)
} finally {
  caller.kill()
  await stop()
}

/** A query has few forms, a body many. */
function triesMax(route: Route): number {
  return isOfQuery(route) ? 10 : 20
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function hasInput(route: Route): boolean {
  if (route.path.startsWith('/auth/')) return route.body === 'json'
  if (!route.path.startsWith('/api/') || ENDLESS.has(nameOf(route))) return false
  return route.body !== 'none' || isOfQuery(route)
}

/** The routes with the fewest tries come first, so that a run goes on where the one before ended. */
async function search(routes: readonly Route[], endsAt: number): Promise<void> {
  while (Date.now() < endsAt) {
    const [route] = routes
      .filter((one) => foundOf(one).tries < triesMax(one))
      .toSorted((one, other) => foundOf(one).tries - foundOf(other).tries)
    if (route === undefined) break
    found[nameOf(route)] = await searchRoute(route, foundOf(route))
    writeFound(found)
  }
  const done = routes.filter((route) => foundOf(route).tries >= triesMax(route)).length
  process.stdout.write(`searched to the end: ${done} of ${routes.length} routes\n`)
}

function foundOf(route: Route): Found {
  return found[nameOf(route)] ?? { tries: 0, accepted: null, refused: null }
}

async function sweep(routes: readonly Route[]): Promise<void> {
  for (const route of routes) {
    const before = foundOf(route)
    const recipes = new Proposer(route, 1).floods().values()
    found[nameOf(route)] = await keepCostliest(route, before, () => recipes.next().value)
    writeFound(found)
  }
}

async function searchRoute(route: Route, before: Found): Promise<Found> {
  const proposer = new Proposer(route, before.tries + 1)
  let count = 0
  const best = await keepCostliest(route, before, (soFar) => {
    count += 1
    if (count > TRIES_AT_ONCE) return undefined
    return count === 1 && before.tries === 0 ? proposer.first() : proposer.next(soFar)
  })
  return { ...best, tries: before.tries + TRIES_AT_ONCE }
}

/** Measures what is proposed, until nothing is, and keeps the costliest request of each kind. */
async function keepCostliest(
  route: Route,
  before: Found,
  propose: (best: Found) => Recipe | undefined,
): Promise<Found> {
  let best = before
  const scores = {
    accepted: before.accepted === null ? 0 : score(await measure(route, before.accepted)),
    refused: before.refused === null ? 0 : score(await measure(route, before.refused)),
  }
  for (let recipe = propose(best); recipe !== undefined; recipe = propose(best)) {
    const cost = await measure(route, recipe)
    if (cost.status === 0) continue
    const kind = cost.status < 300 ? 'accepted' : 'refused'
    if (score(cost) <= scores[kind]) continue
    scores[kind] = score(cost)
    best = { ...best, [kind]: recipe }
  }
  return best
}

/** 1 is the most that is promised, in the loop, in memory or in time; a little of each breaks a tie. */
function score({ loopMs, memoryBytes, bytes, replyMs }: Cost): number {
  const shares = [loopMs / LOOP_MS_MAX, memoryBytes / memoryMax(bytes), replyMs / REPLY_MS_MAX]
  return Math.max(...shares) + shares.reduce((sum, share) => sum + share, 0) / 100
}

function memoryMax(bytes: number): number {
  return Math.max(bytes * MEMORY_RATIO_MAX, MEMORY_BYTES_MIN)
}

type Judged = { readonly name: string; readonly cost: Cost; readonly isStream: boolean }

async function judge(route: Route): Promise<readonly Judged[]> {
  const { accepted, refused } = foundOf(route)
  const judged: Judged[] = []
  for (const recipe of [accepted, refused]) {
    if (recipe === null) continue
    const cost = await measure(route, recipe)
    const { loopMs, memoryBytes, bytes, status, replyMs } = cost
    // An import is as long as its list.
    const isStream = route.body === 'stream'
    const isLate = !isStream && replyMs > REPLY_MS_MAX
    judged.push({ name: nameOf(route), cost, isStream })
    verdict(
      `${nameOf(route)}: ${mib(bytes)} take ${loopMs.toFixed(0)} ms of the loop, ${mib(memoryBytes)} and ${replyMs.toFixed(0)} ms in all (${status})`,
      loopMs <= LOOP_MS_MAX && memoryBytes <= memoryMax(bytes) && !isLate,
      `${LOOP_MS_MAX} ms, ${mib(memoryMax(bytes))}, ${REPLY_MS_MAX} ms`,
    )
  }
  return judged
}

/** The routes that are shown beside the largest figure. */
const SHOWN_ROUTES = 6

function saveCostliest(judged: readonly Judged[]): void {
  const replies = judged.filter(({ isStream }) => !isStream)
  saveLargest(
    { what: 'the costliest request: time of the event loop', unit: 'ms', atMost: LOOP_MS_MAX },
    judged,
    ({ loopMs }) => loopMs,
  )
  saveLargest(
    { what: 'the costliest request: memory, of what it may take', unit: '%', atMost: 100 },
    judged,
    (cost) => (100 * cost.memoryBytes) / memoryMax(cost.bytes),
  )
  saveLargest(
    { what: 'the costliest request: time until the reply', unit: 'ms', atMost: REPLY_MS_MAX },
    replies,
    ({ replyMs }) => replyMs,
  )
}

type Largest = { readonly what: string; readonly unit: string; readonly atMost: number }

function saveLargest(
  { what, unit, atMost }: Largest,
  judged: readonly Judged[],
  valueOf: (cost: Cost) => number,
): void {
  const byRoute = new Map<string, number>()
  for (const { name, cost } of judged) byRoute.set(name, Math.max(byRoute.get(name) ?? 0, valueOf(cost)))
  const largest = [...byRoute].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_ROUTES)
  const [, most = 0] = largest[0] ?? []
  saveFigure({ what, unit, ours: [most], bar: { of: 'figure', atMost }, parts: Object.fromEntries(largest) })
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}

async function measurePlain(route: Route): Promise<Cost> {
  return measure(route, new Proposer(route, 1).first())
}

/**
 * Garbage counts as memory, as long as it stays below the bound. Above it, a second call tells garbage from memory that is
 * held: before each look the garbage is collected. V8 lets 16 MiB of young objects lie, and those that outlived a collection,
 * whatever the request: an import of 1 row and one of 30 000 rows both hold 4.8 MiB at most, and leave up to 50 MiB of garbage.
 * Memory outside of V8's heap always counts as the first call found it, because V8 does not collect it in time. The loop is
 * measured by the first call, because collecting takes turns of it.
 */
async function measure(route: Route, recipe: Recipe): Promise<Cost> {
  await tell(callOf(route, recipe))
  const cost = await observe(process.memoryUsage, SAMPLE_MS)
  if (cost.memoryBytes <= memoryMax(cost.bytes)) return cost
  const held = await observe(heldMemory, HELD_SAMPLE_MS)
  return { ...cost, memoryBytes: Math.max(held.memoryBytes, cost.externalBytes) }
}

type Memory = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'external'>

function heldMemory(): Memory {
  collectGarbage()
  return process.memoryUsage()
}

async function observe(
  look: () => Memory,
  everyMs: number,
): Promise<Cost & { readonly externalBytes: number }> {
  collectGarbage()
  const before = look()
  let [memoryBytes, externalBytes] = [0, 0]
  const note = (): void => {
    const { heapUsed, external } = look()
    externalBytes = Math.max(externalBytes, external - before.external)
    memoryBytes = Math.max(memoryBytes, heapUsed - before.heapUsed + external - before.external)
  }
  const sampler = setInterval(note, everyMs)
  loop.start()
  const answer = await tell('send')
  // What the call leaves behind is collected a moment after its reply.
  await wait(SAMPLE_MS * 8)
  const loopMs = loop.stop()
  clearInterval(sampler)
  note()
  return { ...answer, loopMs, memoryBytes, externalBytes }
}

function callOf(route: Route, recipe: Recipe): WorstCall {
  return {
    url: place.urlOf(route),
    method: route.method,
    headers: place.headersOf(route),
    recipe: JSON.parse(place.withOwn(JSON.stringify(recipe))),
    form: formOf(route),
    bytesMax: route.body === 'stream' ? STREAM_BYTES_MAX : (route.bodyBytesMax ?? LIMITS.bodyBytesMax),
  }
}

async function tell(message: WorstCall | 'send'): Promise<WorstAnswer> {
  caller.send(message)
  const [answer]: readonly WorstAnswer[] = await once(caller, 'message')
  if (answer === undefined) throw new Error('the caller said nothing')
  return answer
}

function formOf(route: Route): WorstCall['form'] {
  const { body, bodyTypes } = route
  if (isOfQuery(route)) return 'query'
  if (body !== 'stream') return 'json'
  return bodyTypes?.includes('application/x-ndjson') === true ? 'lines' : 'csv'
}
