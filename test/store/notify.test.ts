import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Database, withOwner } from '../../src/store/db.ts'
import { Notifier, WORK_KINDS, type WorkKind } from '../../src/store/notify.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { until as untilSo } from '../support/until.ts'

const fresh = await freshDatabase()
const { database } = fresh
const notifying = new Database({ ...PATIENT, url: fresh.url, connectionsMax: 2, name: 'beckon notifying' })
after(async () => {
  await notifying.close()
  await fresh.drop()
})

/** A listener and the kinds it heard of; `until` waits for more of them while a condition is not met. */
function listener() {
  const stop = new AbortController()
  const heard: WorkKind[] = []
  let more = Promise.withResolvers<void>()
  const listening = database.listen((kind) => {
    heard.push(kind)
    more.resolve()
    more = Promise.withResolvers()
  }, stop.signal)
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await more.promise
  }
  const end = async (): Promise<void> => {
    stop.abort()
    await listening
  }
  return { heard, until, end }
}

test('a server that vanished without a word is found out within a minute, not within hours', {
  skip: process.platform !== 'linux' && 'only Linux shows the timers of connections',
  // Long for any machine: a connection without a keep-alive timer is waited for until then.
  timeout: 120_000,
}, async () => {
  const { until, heard, end } = listener()
  await until(() => heard.length === WORK_KINDS.length)
  await database.query('select 1')
  const port = Number(new URL(fresh.url).port)
  // The system shows one timer per connection. While a connection opens, closes or has bytes that the server has yet to
  // confirm, that is not the keep-alive.
  let timers = await probeTimersMs(port)
  while (timers.length < 2 || timers.includes(null)) {
    await new Promise((resolve) => setImmediate(resolve))
    timers = await probeTimersMs(port)
  }
  await end()
  for (const ms of timers) assert.ok(ms !== null && ms <= 60_000, `${ms} ms until the first probe`)
})

test('every listener hears what one process notifies of, each kind as itself', async () => {
  const listeners = [listener(), listener()]
  // A new listener assumes that there is work of every kind.
  for (const { until, heard } of listeners) await until(() => heard.length === WORK_KINDS.length)
  for (const { heard } of listeners) heard.length = 0
  notifying.notify('send')
  for (const { until, heard } of listeners) await until(() => heard.includes('send'))
  notifying.notify('plan')
  for (const { until, heard } of listeners) await until(() => heard.includes('plan'))
  for (const { heard } of listeners) assert.deepEqual(heard, ['send', 'plan'])
  for (const { end } of listeners) await end()
})

test('a listener whose connection is cut listens again, and assumes that it missed something', async () => {
  const { heard, until, end } = listener()
  await until(() => heard.length === WORK_KINDS.length)
  heard.length = 0
  await withOwner(fresh.url, async (owner) => {
    const LISTENERS = `from pg_stat_activity
      where datname = current_database() and application_name = 'beckon test listener'`
    // The server ends the sessions of earlier listeners a moment after their sockets are closed.
    await untilSo(async () => (await owner.query(`select ${LISTENERS}`)).count === 1, {
      what: 'the end of the listeners of other tests',
    })
    assert.equal((await owner.query(`select pg_terminate_backend(pid) ${LISTENERS}`)).count, 1)
  })
  await until(() => WORK_KINDS.every((kind) => heard.includes(kind)))
  heard.length = 0
  notifying.notify('plan')
  await until(() => heard.includes('plan'))
  await end()
})

// Long for any machine, and short beside the time that the listener would wait for its connection.
test('a listener that is told to stop while it connects stops at once', { timeout: 120_000 }, async (t) => {
  await listener().end()

  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = `postgres://nobody@127.0.0.1:${address.port}/none`
  const unheard = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'beckon unheard' })
  const stop = new AbortController()
  const listening = unheard.listen(() => undefined, stop.signal)
  await once(silent, 'connection')
  stop.abort()
  await listening
  await unheard.close()
})

test('calls while the same kind is being sent go as one, and a failure is dropped', async () => {
  const sent: { readonly kind: string | undefined; readonly answer: PromiseWithResolvers<void> }[] = []
  const query: ConstructorParameters<typeof Notifier>[0]['query'] = async (_, [, kind]) => {
    const answer = Promise.withResolvers<void>()
    sent.push({ kind, answer })
    return answer.promise
  }
  const notifier = new Notifier({ query }, { pauseMs: 0 })
  for (let count = 0; count < 100; count += 1) notifier.notify('send')
  notifier.notify('plan')
  assert.deepEqual(
    sent.map(({ kind }) => kind),
    ['send', 'plan'],
  )
  sent[0]?.answer.reject(new Error('no database'))
  sent[1]?.answer.resolve()
  while (sent.length < 3) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(
    sent.map(({ kind }) => kind),
    ['send', 'plan', 'send'],
  )
})

/** For each connection of this process to a port of this machine: when the system looks whether the other is there. */
async function probeTimersMs(port: number): Promise<readonly (number | null)[]> {
  const links = (await readdir('/proc/self/fd')).map(async (fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  )
  const own = new Set(await Promise.all(links))
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/))
  return rows.flatMap(([, , remote = '', , , timer = '', , , , inode = '']) => {
    if (Number.parseInt(remote.split(':')[1] ?? '', 16) !== port || !own.has(`socket:[${inode}]`)) return []
    const [kind, ticks = ''] = timer.split(':')
    // Kind 2 is the keep-alive; ticks are hundredths of a second.
    return [kind === '02' ? Number.parseInt(ticks, 16) * 10 : null]
  })
}
