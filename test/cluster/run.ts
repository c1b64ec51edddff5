/**
 * `npm run test:cluster`: one round of each fault, and each drill. `npm run test:cluster -- power 10`: ten rounds of one, and the next call
 * goes on where this one was broken off. `power,freeze` names two. `record` puts the rounds of this commit, or of the one that is named, into
 * bench/results/cluster.ndjson and docs/benchmarks.md. Needs root; makes the lab from Debian packages at the first run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { takeFolderLock } from '../../src/runtime/folder-lock.ts'
import { missingParts } from './containers/image.ts'
import { DRILLS } from './drills.ts'
import { FAULTS, type Fault } from './faults.ts'
import { tryImages } from './image.ts'
import { LAB, missing } from './lab/folder.ts'
import { startLab } from './lab/lab.ts'
import { HUB, makeNetwork, namespaceOf, removeNetwork } from './lab/network.ts'
import { makeRoot } from './lab/root.ts'
import { makeWorld } from './load/world.ts'
import { checkManifest } from './manifest.ts'
import { recordRounds } from './record.ts'
import { commitOf, countFailures, countRounds, keepLogs, reportOf, roundsOf, saveResult } from './results.ts'
import { runRound } from './round.ts'

const INSIDE = '--inside'
const args = process.argv.slice(2).filter((arg) => arg !== INSIDE)
/** Drills that run outside of the namespaces, because they install packages. `lacks`: why a drill cannot run here; null if it can. */
const OUTSIDE = [
  { name: 'image', says: 'the images', lacks: missingParts, run: tryImages },
  { name: 'manifest', says: 'the Kubernetes manifest', lacks: () => null, run: checkManifest },
]
const KNOWN = [...FAULTS, ...DRILLS, ...OUTSIDE].map(({ name }) => name)
const [wanted = KNOWN.join(','), rounds = '1'] = args
const names = wanted.split(',')

// `record` needs neither root nor a lab.
if (wanted === 'record') {
  process.stdout.write(`${recordRounds(roundsOf(args[1] ?? commitOf()))}\n`)
  process.exit(0)
}
// The providers and the load balancer's connections would keep the process alive.
process.exit(await (process.argv.includes(INSIDE) ? runInside() : runOutside()))

/** Makes what must be there, and runs the rest in the namespace of the hub. */
async function runOutside(): Promise<number> {
  const stranger = names.find((name) => !KNOWN.includes(name))
  if (stranger !== undefined) {
    process.stderr.write(`There is no fault ${stranger}. There are: ${KNOWN.join(', ')}.\n`)
    return 2
  }
  if (process.getuid?.() === 0) await makeRoot()
  const why = missing()
  if (why !== null) {
    process.stderr.write(`${why}\n`)
    return 1
  }
  const lock = takeFolderLock(LAB, { pid: process.pid })
  const outside = OUTSIDE.filter(({ name }) => names.includes(name))
  for (const { says, lacks, run } of outside) {
    const lack = lacks()
    process.stdout.write(lack === null ? `ok     ${says}: ${await run()}\n` : `skip   ${says}: ${lack}\n`)
  }
  if (names.length === outside.length) return 0
  await makeNetwork()
  try {
    const own = [process.execPath, import.meta.filename, INSIDE, ...args]
    const enter = ['--pdeathsig', 'KILL', 'ip', 'netns', 'exec', namespaceOf(HUB), ...own]
    const child = spawn('setpriv', enter, { stdio: 'inherit' })
    // All machines end with the process inside.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'))
    const [code] = await once(child, 'close')
    return Number(code ?? 1)
  } finally {
    await removeNetwork()
    lock.release()
  }
}

async function runInside(): Promise<number> {
  const commit = commitOf()
  const faults = FAULTS.filter(({ name }) => names.includes(name))
  const lab = await startLab({ keepDisks: false })
  try {
    let world = await makeWorld(lab)
    for (const fault of faults) {
      for (let done = countRounds(fault.name, commit); done < Number(rounds); done += 1) {
        if (fault.prepare !== undefined) world = await fault.prepare(lab)
        const here = world
        await runOne(fault, done, async (name) => runRound(lab, here, fault, { name, commit }))
        // After an upgrade no machine runs the old version.
        world = { ...world, isOldVersion: false }
      }
    }
    for (const { says, run } of DRILLS.filter(({ name }) => names.includes(name))) {
      process.stdout.write(`ok     ${says}: ${await run(lab)}\n`)
    }
  } finally {
    await lab.stop()
  }
  process.stdout.write(`\n${reportOf(commit)}\n`)
  return countFailures(names, commit) === 0 ? 0 : 1
}

async function runOne(
  { name, says }: Fault,
  done: number,
  run: (round: string) => ReturnType<typeof runRound>,
): Promise<void> {
  const round = `${name}${done + 1}r${Date.now().toString(36)}`
  const result = await run(round)
  saveResult(result)
  if (!result.isGood) keepLogs(round)
  const { acknowledged, gapMs, fullSpeedMs, perSecond, statuses, wrong } = result
  const facts = `${acknowledged} acknowledged, ${perSecond} calls/s, gap ${gapMs} ms, full speed after ${fullSpeedMs} ms`
  process.stdout.write(
    `${result.isGood ? 'ok    ' : 'FAILED'} ${says}: ${facts} ${JSON.stringify(statuses)}\n${wrong.map((one) => `       ${one}\n`).join('')}`,
  )
}
