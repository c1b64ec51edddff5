import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { databaseFolder } from '../../../src/runtime/postgres/start-server.ts'
import { stopServer } from '../../../src/runtime/postgres/stop-server.ts'
import { until } from '../until.ts'
import { DASHBOARD_FOLDER } from './dashboard-folder.ts'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')

/** A command that takes longer hangs, and the test should say so. */
const RUN_MAX_MS = 5 * 60_000

export type Environment = Readonly<Record<string, string>>
export type Ended = { readonly code: number | null; readonly signal: string | null }

/** A real Beckon in processes of its own. */
export type RunningBeckon = {
  readonly pid: number
  readonly url: string
  readonly stdout: () => string
  readonly stderr: () => string
  readonly send: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

/**
 * Starts `beckon start` on a free port and waits until it says that it is ready. The test's end is its end. A port that
 * was free a moment ago may be lent to somebody's outgoing call by now; that passes, so it is tried again.
 */
export async function startBeckon(
  context: TestContext,
  environment: Environment,
  flags: readonly string[] = [],
): Promise<RunningBeckon> {
  for (let triesLeft = 5; ; triesLeft -= 1) {
    const beckon = launch(context, ['start', ...flags], environment)
    try {
      await untilReady(beckon)
      return { ...beckon, url: / is ready on (\S+)/.exec(beckon.stdout())?.[1] ?? '' }
    } catch (error) {
      if (triesLeft === 0 || !/Port \d+ is taken/.test(beckon.stderr())) throw error
    }
  }
}

async function untilReady(beckon: Omit<RunningBeckon, 'url'>): Promise<void> {
  await until(() => / is ready on /.test(beckon.stdout()), {
    what: 'a ready Beckon',
    giveUp: beckon.ended.then((end) => new Error(`it ended with ${JSON.stringify(end)}: ${beckon.stderr()}`)),
  })
}

/** Starts any command and leaves it running. */
export function launch(
  context: TestContext,
  args: readonly string[],
  environment: Environment,
): Omit<RunningBeckon, 'url'> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group of its own, as a terminal gives it one
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => void (said.out += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => void (said.err += part))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  endWith(context, async () => {
    child.kill('SIGTERM')
    await ended
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => said.out,
    stderr: () => said.err,
    send: (signal) => void child.kill(signal),
    ended,
  }
}

/** Runs a command to its end. */
export async function runBeckon(
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended & { readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_MAX_MS,
    killSignal: 'SIGKILL',
  })
  const exit = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { ...end, stdout, stderr }
}

/** A data folder that goes when the test ends, with whatever server still runs on it. */
export async function freshFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-test-'))
  endWith(context, async () => {
    await stopServer(databaseFolder(folder))
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

const endings = new WeakMap<TestContext, (() => Promise<void>)[]>()

/** What was started last ends first: a Beckon goes before the folder it stands on. */
export function endWith(context: TestContext, end: () => Promise<void>): void {
  const known = endings.get(context)
  if (known !== undefined) {
    known.push(end)
    return
  }
  const list = [end]
  endings.set(context, list)
  context.after(async () => {
    for (const next of list.toReversed()) await next()
  })
}

export type ProcessLine = { readonly pid: number; readonly parent: number; readonly command: string }

/** The API and worker processes below a supervisor. */
export async function childrenOf(supervisor: number): Promise<readonly ProcessLine[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return [...stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)]
    .map(([, pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }))
    .filter(({ parent, command }) => parent === supervisor && command.includes('--name'))
}

/** The tests' own settings must not leak in, nor may the operator's. Compiled code is shared, which changes nothing. */
function environmentOf(environment: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:BECKON_|DATABASE_URL$|PORT$|HOST$|NODE_(?!COMPILE_CACHE$))/.test(name),
  )
  return {
    ...Object.fromEntries(inherited),
    PORT: '0',
    BECKON_API_PROCESSES: '1',
    BECKON_WORKER_PROCESSES: '1',
    BECKON_SANDBOX: 'off',
    // Built once for all tests: each has a data folder of its own, and building takes seconds.
    BECKON_DASHBOARD_DIR: DASHBOARD_FOLDER,
    ...environment,
  }
}
