import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { withOwner } from '../../src/store/db.ts'
import { cpuMs } from './cpu.ts'
import { saveFigure } from './figures.ts'
import { largestOf, placesOf } from './profile-places.ts'
import { threadMs, treeCpu } from './tree-cpu.ts'

/** A process that was started with `profiled.ts`, and the server of its database. */
export type ProfiledProcess = {
  /** What the report calls it. */
  readonly name: string
  readonly pid: number
  /** What `BENCH_PROFILE` names. */
  readonly file: string
  readonly postgresPid: number
  /** Of the database, for its owner. */
  readonly url: string
}

/** `unit`: what the work tells the number of, such as a message. */
export type ProfiledWork = { readonly unit: string; readonly run: () => Promise<number> }

const PLACES = 18
const LOOK_MS = 50

/**
 * Where the microseconds of some work go: in the process by folder of the program, in PostgreSQL by kind of process. The
 * profiler slows the process down, so its shares count.
 */
export async function profileWork(profiled: ProfiledProcess, { unit, run }: ProfiledWork): Promise<void> {
  const { name, pid, file } = profiled
  const [profile, begun] = [`${file}.${pid}`, `${file}.${pid}.begun`]
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(begun)) await delay(LOOK_MS)
  const [serverBefore, processBefore] = [await serverParts(profiled), cpuMs(pid).server]
  const threadsBefore = threadsMs(profiled)
  const count = await run()
  const micros = ((cpuMs(pid).server - processBefore) * 1000) / count
  const threads = ((threadsMs(profiled) - threadsBefore) * 1000) / count
  const server = [...(await serverParts(profiled))].map(
    ([kind, ms]) => [kind, ((ms - (serverBefore.get(kind) ?? 0)) * 1000) / count] as const,
  )
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(profile)) await delay(LOOK_MS)
  keep(`${name}, ${unit}`, micros, processParts(readFileSync(profile, 'utf8'), { micros, threads, count }))
  for (const written of [profile, begun]) rmSync(written)
  const serverMicros = server.reduce((sum, [, each]) => sum + each, 0)
  keep(`PostgreSQL, ${unit}`, serverMicros, Object.fromEntries(server.filter(([, each]) => each > 0)))
}

/** The CPU time so far of the threads that run a program of ours beside the main thread: in Beckon they encrypt. */
function threadsMs({ file, pid }: ProfiledProcess): number {
  const names = globSync(`${file}.${pid}.thread.*`).map((path) => path.slice(path.lastIndexOf('.') + 1))
  return names.reduce((sum, thread) => sum + threadMs({ pid, thread }), 0)
}

/** The CPU of a process and, within it, of its threads that encrypt, in microseconds for one of `count`. */
type ProcessCpu = { readonly micros: number; readonly threads: number; readonly count: number }

/**
 * The profile sees the main thread; the CPU of the engine's threads, of which one collects garbage too, is what is missing. It counts
 * the time in which the thread waits for a core as well: where there is more of it than CPU, its shares are those of the CPU.
 */
function processParts(
  profile: string,
  { micros, threads, count }: ProcessCpu,
): Readonly<Record<string, number>> {
  const places = largestOf(placesOf(JSON.parse(profile)), PLACES).map(
    ([name, all]) => [name, all / count] as const,
  )
  const seen = places.reduce((sum, [, each]) => sum + each, 0)
  const encrypting = threads > 0 ? { 'threads that encrypt': threads } : {}
  const rest = micros - threads
  if (seen > rest) {
    const shares = places.map(([name, each]) => [name, (each * rest) / seen] as const)
    return { ...Object.fromEntries(shares), ...encrypting }
  }
  return { ...Object.fromEntries(places), ...encrypting, 'other threads': rest - seen }
}

/** The CPU time so far of the server by the name of its connections, which is that of a process of Beckon, or by kind of process. */
async function serverParts({ postgresPid, url }: ProfiledProcess): Promise<ReadonlyMap<string, number>> {
  const { rows } = await withOwner(url, async (owner) =>
    owner.query<{ pid: number; name: string }>(
      `select pid, coalesce('for ' || nullif(application_name, ''), backend_type) as name from pg_stat_activity`,
    ),
  )
  const names = new Map(rows.map(({ pid, name }) => [pid, name]))
  const parts = new Map<string, number>()
  for (const { pid, ms } of treeCpu(postgresPid)) {
    const name = names.get(pid) ?? 'connections that ended'
    parts.set(name, (parts.get(name) ?? 0) + ms)
  }
  return parts
}

function keep(what: string, micros: number, parts: Readonly<Record<string, number>>): void {
  process.stdout.write(`  ${what}: ${micros.toFixed(1)} µs, with the profiler\n`)
  for (const [name, part] of Object.entries(parts))
    process.stdout.write(`  ${part.toFixed(2).padStart(8)}  ${name}\n`)
  saveFigure({ what, unit: 'µs', ours: [micros], parts })
}
