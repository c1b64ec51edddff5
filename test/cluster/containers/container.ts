import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import { childrenOf, PATH_INSIDE, signalEach } from '../lab/machine.ts'
import { type Host, HUB, type Network, namespaceOf } from '../lab/network.ts'
import { sh } from '../lab/shell.ts'
import type { Service, Volume } from './compose.ts'
import { CONTAINERS, type Image } from './image.ts'

const AGAIN_MS = 500

/** The folders of containers and of their volumes. */
const RUN = join(CONTAINERS, 'run')
const VOLUMES = join(RUN, 'volumes')

export function forgetContainers(): void {
  rmSync(RUN, { recursive: true, force: true })
}

/**
 * A container as Docker would start it, made of namespaces and an overlay: the first process is the command itself, with
 * the user and the variables of the image and the service, and nothing else. Memory and capabilities are not
 * limited. `start` keeps it running as the service says, until `stop`; it also ends with the process that started it.
 */
export class Container {
  readonly service: Service
  readonly #image: Image
  readonly #network: Network
  readonly #host: Host
  readonly #folder: string
  #child: ChildProcess | null = null
  #isStopped = false
  #running: Promise<void> | null = null
  /** The exit codes so far, one for each end of the container. */
  readonly ends: (number | null)[] = []

  constructor(service: Service, image: Image, network: Network) {
    this.service = service
    this.#image = image
    this.#network = network
    this.#host = hostOf(service)
    this.#folder = join(RUN, service.name)
  }

  start(): void {
    rmSync(this.#folder, { recursive: true, force: true })
    for (const name of ['upper/etc', 'work', 'root']) mkdirSync(join(this.#folder, name), { recursive: true })
    writeFileSync(join(this.#folder, 'upper/etc/hosts'), '127.0.0.1 localhost\n')
    for (const volume of this.service.volumes) this.#fillVolume(volume)
    this.#running = this.#keepRunning()
  }

  /** A container that was started a moment ago has no first process yet, so this tries to end it until it has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await until(
      () => {
        this.kill()
        return this.#child === null
      },
      { what: `the end of ${this.service.name}: see ${this.log}` },
    )
    await this.#running
  }

  /** Ends all processes of the container at once, if it has any. */
  kill(): void {
    const { init } = this
    if (init !== null) signalEach([init], 'SIGKILL')
  }

  /** The first process of the container; null while the container is off. */
  get init(): number | null {
    const child = this.#child
    if (child?.pid === undefined || child.exitCode !== null) return null
    return childrenOf(child.pid)[0] ?? null
  }

  /** Runs a command in the container, with its user and variables. */
  async run(...command: readonly string[]): Promise<string> {
    const enter = ['--target', String(this.init), '--mount', '--net', '--pid', '--root', '--wd']
    const as = ['chroot', `--userspec=${this.#image.user}`, '/', 'env', '-i', '-C', this.#image.folder]
    return sh('nsenter', ...enter, ...as, ...this.#variables(), ...command)
  }

  get log(): string {
    return join(this.#folder, 'log')
  }

  /** A new volume begins with the files that the image has at its target, and with their owner. */
  #fillVolume(volume: Volume): void {
    const source = sourceOf(volume)
    if (existsSync(source)) return
    const inImage = this.#image.layers.map((layer) => join(layer, volume.target)).find(existsSync)
    if (inImage === undefined) throw new Error(`${this.service.name}: the image has no ${volume.target}`)
    mkdirSync(dirname(source), { recursive: true })
    execFileSync('cp', ['-a', inImage, source])
  }

  async #keepRunning(): Promise<void> {
    const { restart } = this.service
    while (!this.#isStopped) {
      const code = await this.#runOnce()
      this.ends.push(code)
      if (restart === 'no' || (restart === 'on-failure' && code === 0)) return
      await wait(AGAIN_MS)
    }
  }

  async #runOnce(): Promise<number | null> {
    const log = openSync(this.log, 'a')
    const command = this.service.command ?? this.#image.command
    const enter = ['--pdeathsig', 'KILL', 'ip', 'netns', 'exec', namespaceOf(this.#host, this.#network)]
    const split = ['unshare', '--pid', '--fork', '--mount', '--kill-child', 'sh', '-ec', this.#script()]
    const child = spawn('setpriv', [...enter, ...split, 'sh', ...this.#variables(), ...command], {
      stdio: ['ignore', log, log],
      env: { PATH: PATH_INSIDE },
    })
    closeSync(log)
    this.#child = child
    try {
      const [code] = await once(child, 'close')
      return typeof code === 'number' ? code : null
    } finally {
      this.#child = null
    }
  }

  #variables(): readonly string[] {
    const { variables, user } = this.#image
    const own = { PATH: PATH_INSIDE, HOME: this.#homeOf(user), ...variables, ...this.service.variables }
    return Object.entries(own).map(([name, value]) => `${name}=${value}`)
  }

  #homeOf(user: string): string {
    const file = this.#image.layers.map((layer) => join(layer, 'etc/passwd')).find((path) => existsSync(path))
    const line = readFileSync(file ?? '', 'utf8')
      .split('\n')
      .find((one) => one.startsWith(`${user}:`))
    return line?.split(':')[5] ?? '/'
  }

  #script(): string {
    const { layers, parts, user, folder } = this.#image
    const { volumes, sharedMemory } = this.service
    const root = join(this.#folder, 'root')
    const layersOf = `lowerdir=${layers.join(':')},upperdir=${this.#folder}/upper,workdir=${this.#folder}/work`
    return [
      'mount --make-rprivate /',
      `mount -t overlay overlay -o ${layersOf} ${root}`,
      `mount -t proc proc ${root}/proc`,
      `mount --rbind /dev ${root}/dev`,
      `mount -t tmpfs -o mode=1777,size=${sharedMemory} shm ${root}/dev/shm`,
      ...parts.map((path) => `mount --bind ${path} ${root}${path}`),
      ...volumes.map((volume) => mountScript(volume, root)),
      `exec chroot --userspec=${user} ${root} env -i -C ${folder} "$@"`,
    ].join('\n')
  }
}

/** The services of one file are machines of one network. A service without an address gets one. */
export function hostOf({ name, address }: Service): Host {
  return { name, address: address ?? HUB.address.replace(/\d+$/, '200') }
}

function sourceOf({ kind, name }: Volume): string {
  return kind === 'path' ? name : join(VOLUMES, name)
}

function mountScript(volume: Volume, root: string): string {
  const target = `${root}${volume.target}`
  return [
    `[ -e ${target} ] || { mkdir -p $(dirname ${target}) && touch ${target}; }`,
    `mount --bind ${sourceOf(volume)} ${target}`,
    ...(volume.isReadOnly ? [`mount -o remount,bind,ro ${target}`] : []),
  ].join('\n')
}
