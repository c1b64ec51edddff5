import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HOME } from '../lab/apps.ts'
import { LAB } from '../lab/folder.ts'
import { bareRoot, makeBareRoot } from '../lab/root.ts'
import { type ImageSettings, readDockerfile } from './dockerfile.ts'

/** The parts of the Dockerfile's base image beside Debian: Node and npm, taken from this machine, and a user. */
const NODE_PARTS = ['/usr/bin/node', '/usr/lib/node_modules']

export const CONTAINERS = join(LAB, 'containers')

/** A root file system, and the settings with which a command starts in it. */
export type Image = ImageSettings & {
  /** The folders of the overlay, the uppermost first. */
  readonly layers: readonly string[]
  /** Paths of this machine that are bound to the same place inside. */
  readonly parts: readonly string[]
}

/** The reason why the steps of the Dockerfiles cannot be taken here; null if they can. */
export function missingParts(): string | null {
  const absent = NODE_PARTS.find((path) => !existsSync(path))
  return absent === undefined ? null : `there is no ${absent} to put in`
}

/** The image of a Dockerfile whose steps were taken. */
export function imageOf(dockerfile: string): Image {
  const { base, user, folder, variables, command } = readDockerfile(dockerfile)
  return {
    user,
    folder,
    variables,
    command,
    layers: [join(folderOf(dockerfile), 'upper'), bareRoot(releaseOf(base))],
    parts: base.startsWith('node:') ? NODE_PARTS : [],
  }
}

/** Takes the steps of a Dockerfile one by one in a bare Debian. Building the image itself needs a Docker engine. */
export async function buildImage(dockerfile: string): Promise<void> {
  const { base, script } = readDockerfile(dockerfile)
  const bare = await makeBareRoot(releaseOf(base))
  const work = folderOf(dockerfile)
  rmSync(work, { recursive: true, force: true })
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(work, name), { recursive: true })
  const steps = [BEGIN, base.startsWith('node:') ? NODE_BASE : '', 'cd "$CONTEXT"', script]
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', '-m', '-p', '-f', '--kill-child', 'sh', '-ec', steps.join('\n')],
    {
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        BARE: bare,
        WORK: work,
        CONTEXT: dirname(dockerfile),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the steps of ${dockerfile} ended with ${code}`)
}

function folderOf(dockerfile: string): string {
  return join(CONTAINERS, dockerfile.slice(HOME.length + 1).replaceAll('/', '-'))
}

function releaseOf(base: string): string {
  return /bookworm|trixie|forky/.exec(base)?.[0] ?? ''
}

/** Debian's own images refuse to start services while packages are installed, and so does this one. */
const BEGIN = `
R=$WORK/root
mount --make-rprivate /
mount -t overlay overlay -o lowerdir=$BARE,upperdir=$WORK/upper,workdir=$WORK/work $R
mount -t proc proc $R/proc
mount --rbind /dev $R/dev
cp /etc/resolv.conf $R/etc/resolv.conf
printf '#!/bin/sh\\nexit 101\\n' > $R/usr/sbin/policy-rc.d
chmod +x $R/usr/sbin/policy-rc.d`

const NODE_BASE = `
mkdir -p $R/etc/ssl/certs $R/usr/lib/node_modules
cp /etc/ssl/certs/ca-certificates.crt $R/etc/ssl/certs/
touch $R/usr/bin/node
mount --bind /usr/bin/node $R/usr/bin/node
mount --bind /usr/lib/node_modules $R/usr/lib/node_modules
ln -s ../lib/node_modules/npm/bin/npm-cli.js $R/usr/bin/npm
chroot $R useradd --create-home node
export NPM_CONFIG_CAFILE=/etc/ssl/certs/ca-certificates.crt`
