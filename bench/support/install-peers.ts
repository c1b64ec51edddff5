import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'peers')

/** Programs of other people that are too large for everybody who runs the tests. */
export type LargePeer = 'firebase-admin' | 'parse-server'

/** Installs a program beside the benchmarks when it is missing. */
export function installPeer(name: LargePeer): void {
  if (existsSync(join(FOLDER, 'node_modules', name))) return
  process.stdout.write(`  Installing ${name} to be measured against (once, about a minute) ...\n`)
  const args = [
    'install',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--omit=optional',
    '--no-audit',
  ]
  execFileSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Loads what was installed there. */
export function requirePeer(): NodeJS.Require {
  return createRequire(join(FOLDER, 'package.json'))
}
