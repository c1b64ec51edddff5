/**
 * What a Beckon costs that has nothing to do: the CPU time of all its processes and of its PostgreSQL, as a share of one
 * core. It is started on a new data folder, with the demo brand and the sandbox, as `npm start` does it. A second
 * argument is the seconds of the measuring.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { saveFigure } from './support/figures.ts'
import { Processes } from './support/processes.ts'
import { treeCpu } from './support/tree-cpu.ts'
import { verdict } from './support/verdict.ts'

const SHARE_MAX = 0.01
const SECONDS = Number(process.argv[3] ?? 90)
/** The loops wait longer and longer, and the code of the start is compiled, by then. */
const SETTLE_MS = 45_000

const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
const processes = new Processes()
try {
  const environment = { BECKON_DATA_DIR: folder, PORT: '0' }
  const { pid } = await processes.start(['src/main.ts', 'start'], { environment, said: /Stop: Ctrl-C/ })
  await wait(SETTLE_MS)
  const before = new Map(treeCpu(pid).map((one) => [one.pid, one.ms]))
  const beganAt = performance.now()
  await wait(SECONDS * 1_000)
  const tookMs = performance.now() - beganAt
  const used = treeCpu(pid).map((one) => ({ ...one, share: (one.ms - (before.get(one.pid) ?? 0)) / tookMs }))
  for (const { name, share } of used) if (share > 0) line(share, name)
  const share = used.reduce((sum, one) => sum + one.share, 0)
  verdict(
    `an idle Beckon uses ${percent(share)} of a core, measured for ${SECONDS} s`,
    share > 0 && share <= SHARE_MAX,
    `at most ${percent(SHARE_MAX)}`,
  )
  saveFigure({
    what: 'an idle Beckon with its PostgreSQL',
    unit: '% of a core',
    ours: [share * 100],
    bar: { of: 'figure', atMost: SHARE_MAX * 100 },
    parts: sharesByName(used),
  })
} finally {
  await processes.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Processes of one role together, without the folders and ports of the machine; in percent. */
function sharesByName(
  used: readonly { readonly name: string; readonly share: number }[],
): Readonly<Record<string, number>> {
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
