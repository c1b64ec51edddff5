import { type ChildProcess, fork } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDbPlan } from './messages.ts'

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url))
const HOME = resolve(PROGRAM, '../../../..')

/**
 * The C library keeps freed memory in this many parts. By default there are eight for each core, and together they keep tens of MiB more of
 * a large question.
 */
const ARENAS_MAX = 2

/** Starts the program of a DuckDB process, without the environment of Beckon. */
export function forkProgram(plan: DuckDbPlan): ChildProcess {
  return fork(PROGRAM, [JSON.stringify(plan)], {
    cwd: plan.folder,
    // The secrets of Beckon are in its environment, and this process needs nothing of it.
    env: { MALLOC_ARENA_MAX: String(ARENAS_MAX) },
    execArgv: [...nodeFlags()],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/**
 * Node's permissions keep the process's JavaScript from the network, other programs, and all files but Beckon's code.
 * DuckDB is native code and not bound by them: its own settings bind it (`program.ts`).
 */
function nodeFlags(): readonly string[] {
  const modules = join(HOME, 'node_modules')
  // The folder of packages may be a link.
  const readable = [join(HOME, 'src'), join(HOME, 'package.json'), modules, realpathSync(modules)]
  return [
    '--permission',
    '--allow-addons',
    '--no-warnings',
    '--max-old-space-size=128',
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ]
}
