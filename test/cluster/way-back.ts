import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { databaseUrl } from './lab/apps.ts'
import { DISKS } from './lab/folder.ts'
import { isReady, type Lab, untilServing } from './lab/lab.ts'
import { keptFolder, Machine } from './lab/machine.ts'
import { APPS, NODES } from './lab/network.ts'
import { sh } from './lab/shell.ts'
import { LabClient } from './load/client.ts'
import { SUBSCRIPTIONS } from './load/world.ts'
import { blockWith, commandsAfter } from './page.ts'
import { SUPERVISOR } from './upgrade.ts'

const [SERVER, BECKON] = APPS
const EVENTS = 1_000

/**
 * The cluster becomes one PostgreSQL server: Beckon stops on all machines, the commands of docs/cluster.md copy the
 * cluster to the first of these machines, and the second starts Beckon on the copy.
 */
export async function goBackToOneServer(lab: Lab): Promise<string> {
  const [, beckon] = lab.apps
  if (beckon === undefined) throw new Error('no second machine of Beckon')
  const marks = await logEvents(lab)
  const token = await addDevice(lab)
  for (const app of lab.apps) await app.shutDown(SUPERVISOR)
  const server = await startServer()
  try {
    await server.untilFile('/srv/started', 'the copy')
    await beckon.start({ DATABASE_URL: databaseUrl(SERVER), BECKON_DATABASE_READ_URL: '' })
    await until(async () => isReady(BECKON), { what: 'Beckon on the copy' })
    assert.deepEqual(await missingEvents(marks), [], 'what was acknowledged is there')
    await send(lab, token)
    await beckon.shutDown(SUPERVISOR)
    return `all ${marks.length} events are in the copy, /readyz answered 200, and a send arrived`
  } finally {
    // A machine of Beckon that is still on works on the copy.
    for (const machine of [...lab.apps, server]) await machine.cutPower()
    for (const app of lab.apps) await app.start()
    await untilServing()
  }
}

async function logEvents({ url, brand }: Lab): Promise<readonly string[]> {
  const run = `back${Date.now().toString(36)}`
  const marks = Array.from({ length: EVENTS }, (_, index) => `${run}-${index}`)
  const nv = marks.map((mark) => ({ userID: run, event_name: 'seen', attributes: { mark }, event_id: mark }))
  await good(new LabClient(url, brand), '/api/event', { nv })
  return marks
}

/** Adds a person with one device; the answer is the token of the device. */
async function addDevice({ url, brand, providers }: Lab): Promise<string> {
  const token = providers.sandbox.fcm.newToken()
  await good(new LabClient(url, brand), SUBSCRIPTIONS, { platform: 'android', token, user_id: PERSON })
  return token
}

const PERSON = 'somebody-who-stays'

/** A send that the machine on the copy accepts arrives at the device that was added before. */
async function send({ brand, providers }: Lab, token: string): Promise<void> {
  const body = { user_id: PERSON, title: 'Hello', message: 'From one server' }
  await good(new LabClient(`http://${BECKON.address}:8080`, brand), '/api/v1/android/send', body)
  await until(() => providers.sandbox.inbox.watch(token).length > 0, { what: 'the message' })
}

async function good(client: LabClient, path: string, body: object): Promise<void> {
  const { status, text } = await client.try({ path, body })
  assert.equal(status, 200, `${path}: ${text}`)
}

async function missingEvents(marks: readonly string[]): Promise<readonly string[]> {
  const { rows } = await withOwner(databaseUrl(SERVER, 'postgres'), async (session) =>
    session.query<{ mark: string }>(
      `select attributes ->> 'mark' as mark from events where event_name = 'seen'`,
    ),
  )
  const stored = new Set(rows.map(({ mark }) => mark))
  return marks.filter((mark) => !stored.has(mark))
}

/** A machine with PostgreSQL that runs the commands of the page, word by word but for the password. */
async function startServer(): Promise<Machine> {
  const folder = join(DISKS, 'one-server')
  await sh('rm', '-rf', folder)
  mkdirSync(folder, { recursive: true })
  const hosts = join(keptFolder(SERVER, 'etc'), 'hosts-of-the-server')
  writeFileSync(
    hosts,
    ['127.0.0.1 localhost', ...NODES.map(({ name, address }) => `${address} ${name}`), ''].join('\n'),
  )
  const machine = new Machine({
    host: SERVER,
    mounts: [
      { target: '/srv', source: folder, options: ['--bind'] },
      { target: '/etc/hosts', source: hosts, options: ['--bind'] },
    ],
    environment: { COMMANDS: blockWith(commandsAfter('**And back**'), /pg_basebackup[^]*pg_ctl/) },
    script: SCRIPT,
  })
  await machine.start()
  return machine
}

/** A command of the page that fails ends the machine, and with it the wait for the copy. */
const SCRIPT = `
set -e
mkdir -p /run/postgresql
chown postgres:postgres /srv /run/postgresql
runuser -u postgres -- env PATH=/usr/lib/postgresql/18/bin:$PATH sh -ec "$COMMANDS"
touch /srv/started
while sleep 60; do :; done`
