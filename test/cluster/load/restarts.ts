import type { Lab } from '../lab/lab.ts'
import type { Machine } from '../lab/machine.ts'

/** The long-lived programs of machines, each by its command line. */
const PROGRAMS = {
  apps: {
    Beckon: '^node_modules/.bin/node src/main.ts start',
    'Beckon api': 'src/main.ts api --name',
    'Beckon worker': 'src/main.ts worker --name',
  },
  nodes: {
    Patroni: '^/usr/bin/python3 .*/patroni ',
    PostgreSQL: '^/usr/lib/postgresql/18/bin/postgres -D',
  },
} as const

/** A program as it runs on a machine. `init` stands for one start of the machine. */
export type Running = {
  readonly machine: Machine
  readonly program: string
  readonly pattern: string
  readonly init: number | null
  readonly pids: readonly number[]
}

/** The processes on machines that the fault does not hit. */
export async function listRunning({ apps, nodes }: Lab, hit: Machine): Promise<readonly Running[]> {
  const others = nodes.filter((node) => node !== hit)
  const rows = [
    ...apps.flatMap((machine) => Object.entries(PROGRAMS.apps).map((row) => [machine, ...row] as const)),
    ...others.flatMap((machine) => Object.entries(PROGRAMS.nodes).map((row) => [machine, ...row] as const)),
  ]
  return Promise.all(
    rows.map(async ([machine, program, pattern]) => ({
      machine,
      program,
      pattern,
      init: machine.init,
      pids: await machine.pids(pattern),
    })),
  )
}

/**
 * Programs that ended meanwhile and were started again, each once. A machine that was switched off meanwhile was meant to
 * be hit, and is left out.
 */
export async function findRestarts(before: readonly Running[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const { machine, program, pattern, init, pids } of before) {
    if (machine.init !== init) continue
    const present = new Set(await machine.pids(pattern))
    if (pids.some((pid) => !present.has(pid))) found.push(`${program} on ${machine.host.name}`)
  }
  return found
}
