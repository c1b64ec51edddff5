import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HOME } from './lab/apps.ts'
import { LAB } from './lab/folder.ts'
import { makeBareRoot } from './lab/root.ts'
import { sh } from './lab/shell.ts'

/** The parts of the Dockerfile's base image beside Debian: Node and npm, here those of this machine, and a user. */
const NODE_PARTS = ['/usr/bin/node', '/usr/lib/node_modules']
const PORT = 18_080

/**
 * Takes the steps of the Dockerfile one by one in a bare Debian root file system, and starts what it would start. Building
 * the image itself needs a Docker engine.
 */
export async function tryDockerfile(): Promise<string> {
  const absent = NODE_PARTS.find((path) => !existsSync(path))
  if (absent !== undefined) return `not tried: there is no ${absent} to put in`
  const bare = await makeBareRoot(/bookworm|trixie|forky/.exec(readFileSync(DOCKERFILE, 'utf8'))?.[0] ?? '')
  const work = join(LAB, 'image')
  rmSync(work, { recursive: true, force: true })
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(work, name), { recursive: true })
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', '-m', '-p', '-f', '--kill-child', 'sh', '-c', SCRIPT],
    {
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        BARE: bare,
        WORK: work,
        HOME_FOLDER: HOME,
        STEPS: steps(readFileSync(DOCKERFILE, 'utf8')),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const [code] = await once(child, 'close')
  await sh('rm', '-rf', work)
  if (code !== 0) throw new Error(`the steps of the Dockerfile ended with ${code}`)
  return 'every step of the Dockerfile ran, and /readyz answered 200'
}

const DOCKERFILE = join(HOME, 'Dockerfile')

/** Where and as whom the next step runs. */
type Place = { readonly user: string; readonly folder: string; readonly variables: readonly string[] }

/** The Dockerfile as a shell script that runs outside of the root file system `$R`. */
function steps(dockerfile: string): string {
  const lines = dockerfile.replaceAll(/\\\n\s*/g, ' ').split('\n')
  const scripts: string[] = []
  let place: Place = { user: 'root', folder: '/', variables: [] }
  for (const line of lines.filter((one) => /^[A-Z]+ /.test(one))) {
    const [word = '', ...rest] = line.split(' ')
    scripts.push(scriptOf(place, word, rest))
    place = { ...place, ...moves(place, word, rest) }
  }
  return scripts.join('\n')
}

function moves({ variables }: Place, word: string, rest: readonly string[]): Partial<Place> {
  if (word === 'USER') return { user: rest.join(' ') }
  if (word === 'WORKDIR') return { folder: rest.join(' ') }
  return word === 'ENV' ? { variables: [...variables, ...rest] } : {}
}

function scriptOf(place: Place, word: string, rest: readonly string[]): string {
  const text = rest.join(' ')
  switch (word) {
    case 'FROM':
    case 'VOLUME':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'USER':
    case 'ENV':
      return `: ${word}`
    case 'WORKDIR':
      return `mkdir -p "$R${text}"`
    case 'COPY': {
      const to = rest.at(-1) ?? ''
      const from = rest.slice(0, -1).join(' ')
      return `cp -r ${to.endsWith('/') ? '' : '-T '}${from} "$R${place.folder}/${to}"`
    }
    case 'RUN':
      return inside(place, text)
    case 'CMD':
      return `${inside(place, String(JSON.parse(text).join(' ')))} &`
    default:
      throw new Error(`the Dockerfile has ${word}, which this test does not know`)
  }
}

function inside({ user, folder, variables }: Place, command: string): string {
  const quoted = command.replaceAll("'", `'\\''`)
  return `chroot --userspec=${user} "$R" env HOME=/tmp ${variables.join(' ')} sh -c 'cd ${folder} && ${quoted}'`
}

const SCRIPT = `
set -e
R=$WORK/root
mount --make-rprivate /
mount -t overlay overlay -o lowerdir=$BARE,upperdir=$WORK/upper,workdir=$WORK/work $R
mount -t proc proc $R/proc
mount --rbind /dev $R/dev
cp /etc/resolv.conf $R/etc/resolv.conf
mkdir -p $R/etc/ssl/certs $R/usr/lib/node_modules
cp /etc/ssl/certs/ca-certificates.crt $R/etc/ssl/certs/
touch $R/usr/bin/node
mount --bind /usr/bin/node $R/usr/bin/node
mount --bind /usr/lib/node_modules $R/usr/lib/node_modules
ln -s ../lib/node_modules/npm/bin/npm-cli.js $R/usr/bin/npm
chroot $R useradd --create-home node
export NPM_CONFIG_CAFILE=/etc/ssl/certs/ca-certificates.crt PORT=${PORT}
cd "$HOME_FOLDER"
eval "$STEPS"
for i in $(seq 240); do
  if node -e "fetch('http://127.0.0.1:${PORT}/readyz').then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"; then exit 0; fi
  sleep 1
done
exit 1`
