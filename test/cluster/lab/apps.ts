import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type SandboxAccess, saveSandboxFile } from '../../../src/delivery/sandbox/file.ts'
import { LAB } from './folder.ts'
import { keptFolder, Machine, type Mount, STOP_MARK } from './machine.ts'
import { APPS, type Host, HUB, NODES } from './network.ts'
import { PASSWORD, SET_CLOCK } from './nodes.ts'

export const HOME = resolve(import.meta.dirname, '../../..')
/** Other versions of Beckon than the one that is tested, for a rolling upgrade. */
export const VERSIONS = join(LAB, 'versions')

export const DATABASE = 'beckon'
export const LAB_SECRET = 'the secret of the cluster lab, long enough'
export const HOOK_PORT = 9_100

/** The brand of a run, which every start creates if it is not there. */
export type LabBrand = { readonly id: string; readonly key: string }

/** The machines that run Beckon, with API and worker processes on each. They find the providers through a file (`saveAccess`). */
export async function makeApps(brand: LabBrand): Promise<readonly Machine[]> {
  mkdirSync(VERSIONS, { recursive: true })
  return Promise.all(
    APPS.map(async (host) => {
      const hosts = join(keptFolder(host, 'etc'), 'hosts')
      // The certificate of the providers is for this name.
      await writeFile(hosts, `${HUB.address} localhost\n`)
      return new Machine({
        host,
        mounts: [
          ...programMounts(),
          { target: '/etc/hosts', source: hosts, options: ['--bind'] },
          { target: '/srv/beckon', source: dataFolder(host), options: ['--bind'] },
        ],
        environment: environmentOf(brand),
        script: SCRIPT,
      })
    }),
  )
}

/** Tells the machines that run Beckon the way to the providers. */
export async function saveAccess(access: SandboxAccess): Promise<void> {
  await Promise.all(APPS.map(async (host) => saveSandboxFile(dataFolder(host), access)))
}

function dataFolder(host: Host): string {
  return keptFolder(host, 'data')
}

/** The load balancer, with the file of deploy/cluster. */
export async function makeBalancer(): Promise<Machine> {
  const settings = keptFolder(HUB, 'etc')
  await writeFile(join(settings, 'haproxy.cfg'), balancerFile())
  return new Machine({
    host: HUB,
    mounts: [{ target: '/etc/beckon', source: settings, options: ['--bind'] }],
    environment: {},
    script: 'exec haproxy -W -f /etc/beckon/haproxy.cfg',
  })
}

function balancerFile(): string {
  return readFileSync(join(HOME, 'deploy/cluster/haproxy.cfg'), 'utf8') + PROXY_TO_PRIMARY
}

/** For the commands of a drill, which have one address whatever machine is the primary. */
const PROXY_TO_PRIMARY = `
listen pg
  mode tcp
  timeout client 1h
  timeout server 1h
  bind *:5432
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${NODES.map(({ name, address }) => `  server ${name} ${address}:5432 check port 8008\n`).join('')}`

/** All three machines, as docs/cluster.md has it. */
const DATABASE_URL = `postgres://beckon:${PASSWORD}@${NODES.map(({ address }) => address).join(',')}/${DATABASE}?target_session_attrs=read-write`

/** One machine; the hub's proxy leads to the primary. */
export function databaseUrl(host: Host, user = 'beckon'): string {
  return `postgres://${user}:${PASSWORD}@${host.address}/${DATABASE}`
}

/** For reads that may be a little old: whichever of the three answers first. */
const DATABASE_READ_URL = DATABASE_URL.replace(/\?.*/, '')
/** How far behind such a read may be. It is the default. */
export const READ_LAG_MS = 5_000

function environmentOf({ id, key }: LabBrand): Readonly<Record<string, string>> {
  return {
    LAB_FOLDER: HOME,
    HOST: '0.0.0.0',
    PORT: '8080',
    DATABASE_URL,
    BECKON_DATABASE_READ_URL: DATABASE_READ_URL,
    BECKON_DATABASE_READ_LAG_MS: String(READ_LAG_MS),
    BECKON_DATA_DIR: '/srv/beckon',
    BECKON_SECRET: LAB_SECRET,
    BECKON_BRAND_ID: id,
    BECKON_API_KEY: key,
    BECKON_SANDBOX: 'off',
    BECKON_API_PROCESSES: '1',
    BECKON_WORKER_PROCESSES: '1',
    BECKON_REQUEST_LOG: 'off',
    BECKON_WEBHOOK_HOSTS: `${HUB.address}:${HOOK_PORT}`,
    NODE_COMPILE_CACHE: '/srv/beckon/compiled',
  }
}

/** The program and its packages stand at the same path inside as outside. */
function programMounts(): readonly Mount[] {
  const packages = join(HOME, 'node_modules')
  const real = realpathSync(packages)
  const folders = real === packages ? [HOME, VERSIONS] : [HOME, VERSIONS, real]
  return folders
    .filter((folder) => existsSync(folder))
    .map((folder) => ({ target: folder, source: folder, options: ['--bind'] }))
}

/** A Beckon that ends is started again, as systemd does. The mark tells the end that was asked for from a crash. */
const SCRIPT = `
${SET_CLOCK}
cd "$LAB_FOLDER"
while [ ! -e ${STOP_MARK} ]; do node_modules/.bin/node src/main.ts start; sleep 1; done`
