import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LAB, ROOT } from './folder.ts'
import { sh, tryTo } from './shell.ts'

/** The release that has PostgreSQL 18 and Patroni. */
const RELEASE = 'forky'

export const PACKAGES: readonly string[] = [
  'postgresql-18',
  'patroni',
  'python3-etcd',
  'etcd-server',
  'etcd-client',
  'haproxy',
  'libatomic1',
  'libfaketime',
  'iproute2',
  'procps',
  'ca-certificates',
]

/** Makes the root file system once, as root, from Debian packages. It gets its name when it is complete. */
export async function makeRoot(): Promise<void> {
  if (!existsSync(ROOT)) await bootstrap(ROOT, { release: RELEASE, packages: PACKAGES })
}

/** Where a Debian with nothing in it is. */
export function bareRoot(release: string): string {
  return join(LAB, `bare-${release}`)
}

/** A Debian with nothing in it, for the steps of a Dockerfile. */
export async function makeBareRoot(release: string): Promise<string> {
  const folder = bareRoot(release)
  if (!existsSync(folder)) await bootstrap(folder, { release, packages: [] })
  return folder
}

type Contents = { readonly release: string; readonly packages: readonly string[] }

async function bootstrap(folder: string, { release, packages }: Contents): Promise<void> {
  await mkdir(LAB, { recursive: true })
  if ((await tryTo('which', 'mmdebstrap')) === '') {
    await sh('apt-get', 'update')
    await sh('apt-get', 'install', '-y', '--no-install-recommends', 'mmdebstrap')
  }
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  const options = ['Acquire::Check-Valid-Until "false"', 'APT::Install-Recommends "false"']
  const args = [
    '--mode=root',
    '--variant=minbase',
    ...options.map((option) => `--aptopt=${option}`),
    ...(packages.length === 0 ? [] : [`--include=${packages.join(',')}`]),
    release,
    draft,
    mirror(),
  ]
  const child = spawn('mmdebstrap', args, { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`mmdebstrap ended with ${code}`)
  renameSync(draft, folder)
}

/** The mirror from which this machine installs its own packages. */
function mirror(): string {
  const files = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*')]
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))
  const found = /^(?:URIs:|deb(?: \[[^\]]*\])?) *(\S+\/debian)\/?(?:\s|$)/m.exec(texts.join('\n'))
  if (found?.[1] === undefined) throw new Error('no Debian mirror in /etc/apt')
  return found[1]
}
