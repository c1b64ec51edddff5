/**
 * What a Beckon costs that has nothing to do: the CPU time of all its processes and of its PostgreSQL, as a share of one
 * core. It is started on a new data folder, with the demo brand and the sandbox, as `npm start` does it. The limit is the same
 * PostgreSQL alone, once Beckon is stopped. A second argument is the seconds of each measuring.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgres } from '../src/runtime/postgres/start-postgres.ts'
import { saveFigure } from './support/figures.ts'
import { Processes, peakMiB } from './support/processes.ts'
import { treeCpu } from './support/tree-cpu.ts'
import { verdict } from './support/verdict.ts'

const SHARE_MAX = 0.01
const SECONDS = Number(process.argv[3] ?? 90)
/** The loops wait longer and longer, and the code of the start is compiled, by then. */
const SETTLE_MS = Number(process.env['BENCH_SETTLE_MS'] ?? 45_000)

const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
const processes = new Processes()
try {
  const environment = { BECKON_DATA_DIR: folder, PORT: '0' }
  const { pid } = await processes.start(['src/main.ts', 'start'], { environment, said: /Stop: Ctrl-C/ })
  const used = await sharesOf(pid)
  const share = sumOf(used)
  const memoryMiB = Math.max(
    ...used.filter(({ name }) => name.includes('main.ts')).map((one) => peakMiB(one.pid)),
  )
  await processes.stop()
  const alone = await shareOfPostgres()
  verdict(
    `an idle Beckon uses ${percent(share)} of a core, its PostgreSQL alone ${percent(alone)}, measured for ${SECONDS} s each`,
    share > 0 && share <= SHARE_MAX,
    `at most ${percent(SHARE_MAX)}`,
  )
  saveFigure({
    what: 'an idle Beckon with its PostgreSQL',
    unit: '% of a core',
    ours: [share * 100],
    limit: { name: 'its PostgreSQL alone', rounds: [alone * 100] },
    bar: { of: 'figure', atMost: SHARE_MAX * 100 },
    memoryMiB,
    parts: sharesByName(used),
  })
} finally {
  await processes.stop()
  await rm(folder, { recursive: true, force: true })
}

type Used = { readonly pid: number; readonly name: string; readonly share: number }

/** What a process and all that it started use of a core, once they have settled. */
async function sharesOf(pid: number): Promise<readonly Used[]> {
  await wait(SETTLE_MS)
  const before = new Map(treeCpu(pid).map((one) => [one.pid, one.ms]))
  const beganAt = performance.now()
  await wait(SECONDS * 1_000)
  const tookMs = performance.now() - beganAt
  const used = treeCpu(pid).map((one) => ({ ...one, share: (one.ms - (before.get(one.pid) ?? 0)) / tookMs }))
  for (const { name, share } of used) if (share > 0) line(share, name)
  return used
}

/** On the same data folder, which Beckon has left. */
async function shareOfPostgres(): Promise<number> {
  const postgres = await startPostgres({ dataDir: folder })
  try {
    return sumOf(await sharesOf(postgres.pid))
  } finally {
    await postgres.stop()
  }
}

function sumOf(used: readonly Used[]): number {
  return used.reduce((sum, { share }) => sum + share, 0)
}

/** Processes of one role together, without the folders and ports of the machine; in percent. */
function sharesByName(used: readonly Used[]): Readonly<Record<string, number>> {
  const shares = new Map<string, number>()
  for (const { name, share } of used.filter((one) => one.share > 0)) {
    const role = name.replaceAll(/\/\S*\/| \S*\(\d+\)/g, '').slice(0, 40)
    shares.set(role, (shares.get(role) ?? 0) + share * 100)
  }
  return Object.fromEntries(shares)
}

function line(share: number, name: string): void {
  process.stdout.write(`${percent(share).padStart(7)}  ${name.slice(0, 90)}\n`)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
