import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../../src/runtime/errors.ts'
import { until } from '../../support/until.ts'
import { DISKS, LOGS, ROOT } from './folder.ts'
import { type Host, namespaceOf } from './network.ts'
import { sh } from './shell.ts'

/** `target` is a path in the machine. */
export type Mount = { readonly target: string; readonly source: string; readonly options: readonly string[] }

export type MachineOptions = {
  readonly host: Host
  readonly mounts: readonly Mount[]
  /** A shell script that runs the programs of the machine and ends with them. */
  readonly script: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * A machine: a network namespace, a pid namespace and mounts of its own on the common root file system. Off, then on
 * (`start`), then off again: by `cutPower`, or with the process that started it, so that nothing stays behind when the
 * lab is killed. What is on its disks stays.
 */
export class Machine {
  readonly host: Host
  readonly #options: MachineOptions
  #shell: ChildProcess | null = null
  /** The end of the shell, as the reason why waiting became pointless. */
  #ended: Promise<Error> | null = null

  constructor(options: MachineOptions) {
    this.host = options.host
    this.#options = options
  }

  /** `environment` is added for this start only. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { host, script } = this.#options
    const mounts = [...COMMON_MOUNTS, ...this.#options.mounts]
    mkdirSync(LOGS, { recursive: true })
    const log = openSync(join(LOGS, `${host.name}.log`), 'a')
    const lines = [
      'set -e',
      'mount --make-rprivate /',
      ...mounts.flatMap(({ target, source, options }) => [
        `[ -e ${ROOT}${target} ] || mkdir -p ${ROOT}${target}`,
        `mount ${options.join(' ')} ${source} ${ROOT}${target}`,
      ]),
      `exec chroot ${ROOT} /bin/sh -c "$SCRIPT"`,
    ]
    const enter = ['--pdeathsig', 'KILL', 'ip', 'netns', 'exec', namespaceOf(host)]
    const split = ['unshare', '--pid', '--fork', '--mount', '--kill-child', 'sh', '-c', lines.join('\n')]
    this.#shell = spawn('setpriv', [...enter, ...split], {
      stdio: ['ignore', log, log],
      env: {
        PATH: PATH_INSIDE,
        LC_ALL: 'C.UTF-8',
        SCRIPT: script,
        ...this.#options.environment,
        ...environment,
      },
    })
    this.#ended = once(this.#shell, 'close').then(
      () => new Error(`the machine ended: see ${LOGS}/${host.name}.log`),
    )
    await until(() => this.init !== null, { what: `the machine ${host.name}`, giveUp: this.#ended })
  }

  /** Waits for a file that the script of the machine makes. It fails at once when the machine ends, as with a script that fails. */
  async untilFile(inside: string, what: string): Promise<void> {
    if (this.#ended === null) throw new Error(`${this.host.name} is off`)
    await until(() => existsSync(this.path(inside)), { what, giveUp: this.#ended })
  }

  /** The first process of the machine: its end is the end of all of them. */
  get init(): number | null {
    const shell = this.#shell?.pid
    if (shell === undefined || this.#shell?.exitCode !== null) return null
    return childrenOf(shell)[0] ?? null
  }

  /** All at once and without a word, as when the power fails. */
  async cutPower(): Promise<void> {
    const { init } = this
    if (init === null || this.#shell === null) return
    const ended = once(this.#shell, 'close')
    process.kill(init, 'SIGKILL')
    await ended
    this.#shell = null
  }

  /** Ends the programs of the machine in good order, and with them the machine. */
  async shutDown(pattern: string): Promise<void> {
    writeFileSync(this.path(STOP_MARK), '')
    const [first] = await this.pids(pattern)
    if (first !== undefined) process.kill(first, 'SIGTERM')
    await until(() => this.init === null, { what: `the end of ${this.host.name}` })
    this.#shell = null
  }

  /** Runs a program as root in a shell of the machine that has none of the settings of its services. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const enter = ['--target', String(this.init), '--mount', '--net', '--pid', '--root', '--wd']
    return sh('nsenter', ...enter, 'env', '-i', `PATH=${PATH_INSIDE}`, 'LC_ALL=C.UTF-8', program, ...args)
  }

  /** Stops or wakes every process of the machine. */
  async signalAll(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    signalEach(await this.pids(), signal)
  }

  /** The processes of the machine, or those whose command line matches. */
  async pids(pattern = ''): Promise<readonly number[]> {
    const { init } = this
    if (init === null) return []
    const filter = pattern === '' ? [] : ['--full', pattern]
    const found = await sh('pgrep', '--ns', String(init), '--nslist', 'pid', ...filter).catch(() => '')
    return found.split('\n').filter(Boolean).map(Number)
  }

  /** The path of a file of the machine, as seen from outside while it is on. */
  path(inside: string): string {
    return `/proc/${this.init}/root${inside}`
  }
}

/** A script that keeps a program running lets it end when this file is there. */
export const STOP_MARK = '/run/stop'

export const PATH_INSIDE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const COMMON_MOUNTS: readonly Mount[] = [
  { target: '/proc', source: 'proc', options: ['-t', 'proc'] },
  { target: '/dev', source: '/dev', options: ['--rbind'] },
  { target: '/run', source: 'tmpfs', options: ['-t', 'tmpfs', '-o', 'mode=755'] },
  { target: '/tmp', source: 'tmpfs', options: ['-t', 'tmpfs', '-o', 'mode=1777'] },
]

/** A folder of the lab that the machine keeps when it is off. */
export function keptFolder(host: Host, name: string): string {
  const folder = join(DISKS, `${host.name}-${name}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** A process that was listed may have ended meanwhile. */
export function signalEach(pids: readonly number[], signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (cause) {
      if (errorCode(cause) !== 'ESRCH') throw cause
    }
  }
}

export function childrenOf(pid: number): readonly number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  return existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number) : []
}
