import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../support/until.ts'
import { DISKS, LOGS } from './folder.ts'
import { keptFolder, Machine, STOP_MARK } from './machine.ts'
import { type Host, NODES } from './network.ts'
import { findPrimary } from './patroni.ts'
import { sh } from './shell.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy/cluster')
/** Enough for ten rounds; it is sparse, so it takes what is written. */
const DISK_MIB = 6_144
export const PASSWORD = 'lab-only'
/** Where Patroni keeps the database, on a disk of its own. */
export const DATABASE_DISK = '/var/lib/postgresql/beckon'

/** The three database machines, with the files of deploy/cluster. */
export async function makeNodes(): Promise<readonly Machine[]> {
  await mkdir(LOGS, { recursive: true })
  await mkdir(DISKS, { recursive: true })
  return Promise.all(NODES.map(makeNode))
}

/** Asks the server of this machine as its administrator, also when it is a standby. */
export async function askPostgres(node: Machine, sql: string): Promise<string> {
  return node.run('runuser', '-u', 'postgres', '--', 'psql', '-h', '/run/postgresql', '-Atc', sql)
}

/** In good order, the primary last, so that the next start need not wait for the end of its lease. */
export async function stopNodes(nodes: readonly Machine[]): Promise<void> {
  const primary = await findPrimary()
  const inOrder = nodes.toSorted(
    (one, other) => Number(one.host === primary) - Number(other.host === primary),
  )
  for (const node of inOrder) if (node.init !== null) writeFileSync(node.path(STOP_MARK), '')
  for (const node of inOrder) {
    for (const pid of await node.pids(PATRONI)) process.kill(pid, 'SIGTERM')
    await until(async () => (await node.pids(PATRONI)).length === 0, { what: `the end of ${node.host.name}` })
  }
  for (const node of inOrder) await node.cutPower()
}

/** The program itself, not the shell whose script names it. */
const PATRONI = '^/usr/bin/python3 .*/patroni '

/** New disks, as of machines that were just bought. */
export function wipeNodes(): void {
  rmSync(DISKS, { recursive: true, force: true })
}

async function makeNode(host: Host): Promise<Machine> {
  const disk = join(DISKS, `${host.name}.ext4`)
  if (!existsSync(disk)) {
    await sh('truncate', '-s', `${DISK_MIB}M`, disk)
    await sh('mkfs.ext4', '-q', '-F', disk)
  }
  const settings = keptFolder(host, 'etc')
  for (const file of ['patroni.yml', 'disk-guard.sh', 'etcd-guard.sh'])
    await copyFile(join(DEPLOY, file), join(settings, file))
  return new Machine({
    host,
    mounts: [
      { target: DATABASE_DISK, source: disk, options: ['-o', 'loop'] },
      { target: '/var/lib/etcd', source: keptFolder(host, 'etcd'), options: ['--bind'] },
      { target: '/etc/beckon', source: settings, options: ['--bind'] },
      { target: '/var/log/lab', source: logFolder(host), options: ['--bind'] },
    ],
    environment: environmentOf(host),
    script: SCRIPT,
  })
}

function logFolder(host: Host): string {
  return keptFolder(host, 'log')
}

/** The lines of node.env, filled in for one machine. */
function environmentOf({ name, address }: Host): Readonly<Record<string, string>> {
  const [n1, n2, n3] = NODES
  const values: Readonly<Record<string, string>> = {
    NAME: name,
    ADDRESS: address,
    N1: n1.address,
    N2: n2.address,
    N3: n3.address,
    SUPERUSER: PASSWORD,
    REPLICATION: PASSWORD,
  }
  const text = readFileSync(join(DEPLOY, 'node.env'), 'utf8')
  const filled = text.replaceAll(/@(\w+)@/g, (_, key: string) => values[key] ?? '')
  const rows = filled.split('\n').filter((line) => /^\w+=/.test(line))
  return Object.fromEntries(
    rows.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** Sets the clock of what follows off by FAKE_OFFSET, such as `+300s`. */
export const SET_CLOCK = `
if [ -n "$FAKE_OFFSET" ]; then
  export LD_PRELOAD=$(ls /usr/lib/*/faketime/libfaketime.so.1) FAKETIME="$FAKE_OFFSET" FAKETIME_DONT_FAKE_MONOTONIC=1
fi`

/** While this file exists in a machine, its etcd is not started again. */
export const ETCD_OFF = '/run/etcd-off'

/** A program that ends is started again, as systemd does with the units of deploy/. */
const SCRIPT = `
mkdir -p /run/postgresql
rm -rf ${DATABASE_DISK}/lost+found
chown postgres:postgres /run/postgresql ${DATABASE_DISK} /var/lib/etcd /var/log/lab
chmod 700 ${DATABASE_DISK}
keep() { while [ ! -e ${STOP_MARK} ]; do [ -e ${ETCD_OFF} ] && [ "$4" = etcd ] || "$@"; sleep 1; done; }
keep runuser -u postgres -- etcd >> /var/log/lab/etcd.log 2>&1 &
${SET_CLOCK}
keep runuser -u postgres -- patroni /etc/beckon/patroni.yml >> /var/log/lab/patroni.log 2>&1 &
keep runuser -u postgres -- sh /etc/beckon/disk-guard.sh >> /var/log/lab/disk-guard.log 2>&1 &
keep runuser -u postgres -- sh /etc/beckon/etcd-guard.sh >> /var/log/lab/etcd-guard.log 2>&1 &
wait`
