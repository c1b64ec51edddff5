/** Which test files run which characters of which source files, from the coverage that V8 writes. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `[start, end, count]`: an inner range overrides the outer ones that stand before it. */
type Range = readonly [start: number, end: number, count: number]

export type Covered = {
  readonly test: string
  readonly ms: number
  readonly ranges: ReadonlyMap<string, readonly (readonly Range[])[]>
}

type CoverageFile = {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number
        readonly endOffset: number
        readonly count: number
      }[]
    }[]
  }[]
}

/** Runs one test file; `undefined` when it fails as it is, because then it can catch nothing. */
export async function coverTest(
  test: string,
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<Covered | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  try {
    const startedAt = performance.now()
    const code = await exitCode(test, home, { ...env, NODE_V8_COVERAGE: folder })
    if (code !== 0) return undefined
    return { test, ms: performance.now() - startedAt, ranges: readRanges(folder, home) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The exit code of one test file; null for a run over `limitMs`, which is ended. A run is ended at its first failure too:
 * the tests after it say nothing more, and a failure may leave work behind that never ends.
 */
export function exitCode(
  test: string,
  home: string,
  env: NodeJS.ProcessEnv,
  limitMs = 600_000,
): Promise<number | null> {
  const hook = join(import.meta.dirname, 'hook.ts')
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const child = spawn(process.execPath, ['--import', hook, '--test-reporter=tap', test], {
    cwd: home,
    env: { ...env, NODE_OPTIONS: `--import=${hook}` },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  let isLate = false
  let tail = '\n'
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    tail = `${tail}${text}`.slice(-TAIL_CHARS)
    if (FAILURE.test(tail)) killGroup(child.pid)
  })
  const timer = setTimeout(() => {
    isLate = true
    killGroup(child.pid)
  }, limitMs)
  child.on('close', (code) => {
    clearTimeout(timer)
    // A changed test may leave servers and workers behind.
    killGroup(child.pid)
    resolve(isLate ? null : (code ?? 1))
  })
  return promise
}

/** A line of the Test Anything Protocol, whole or with its beginning in the piece before. */
const FAILURE = /\nnot ok /
const TAIL_CHARS = 2_000

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  // The system has no other way to say that nobody is left than to throw.
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}

function readRanges(folder: string, home: string): Map<string, (readonly Range[])[]> {
  const sources = ['src', 'web'].map((room) => join(home, room, '/'))
  const files = new Map<string, (readonly Range[])[]>()
  for (const name of readdirSync(folder)) {
    const read = readCoverage(join(folder, name))
    for (const { url, functions } of read?.result ?? []) {
      if (!url.startsWith('file:')) continue
      const path = fileURLToPath(url)
      if (!sources.some((source) => path.startsWith(source))) continue
      const runs = files.get(path) ?? []
      for (const { ranges } of functions)
        runs.push(ranges.map((range) => [range.startOffset, range.endOffset, range.count]))
      files.set(path, runs)
    }
  }
  return files
}

/** A process that was killed leaves half a file. */
function readCoverage(path: string): CoverageFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Whether the innermost range of any run that holds the position was executed. */
export function isCovered(covered: Covered, path: string, at: number): boolean {
  const runs = covered.ranges.get(path) ?? []
  let width = Number.POSITIVE_INFINITY
  let isRun = false
  for (const ranges of runs) {
    for (const [start, end, count] of ranges) {
      if (start > at || end <= at || end - start > width) continue
      isRun = end - start === width ? isRun || count > 0 : count > 0
      width = end - start
    }
  }
  return isRun
}
