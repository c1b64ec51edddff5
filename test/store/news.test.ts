import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { Database, withOwner } from '../../src/store/db.ts'
import { Herald, NEWS, type News } from '../../src/store/news.ts'
import { freshDatabase } from '../support/database/database.ts'

const fresh = await freshDatabase()
const { database } = fresh
const teller = new Database({ url: fresh.url, connectionsMax: 2, name: 'beckon teller' })
after(async () => {
  await teller.close()
  await fresh.drop()
})

/** Somebody who listens, and what they heard; `next` waits for more than was there when it was called. */
function listener() {
  const stop = new AbortController()
  const heard: News[] = []
  let more = Promise.withResolvers<void>()
  const listening = database.listen((news) => {
    heard.push(news)
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
}, async () => {
  const { until, heard, end } = listener()
  await until(() => heard.length === NEWS.length)
  await database.query('select 1')
  const timers = await probeTimersMs(Number(new URL(fresh.url).port))
  await end()
  assert.ok(timers.length >= 2, 'a listener and a pool')
  for (const ms of timers) assert.ok(ms !== null && ms <= 60_000, `${ms} ms until the first probe`)
})

test('what one process tells, every listener hears, each kind as itself', async () => {
  const listeners = [listener(), listener()]
  // Whoever begins to listen supposes that there is news of every kind.
  for (const { until, heard } of listeners) await until(() => heard.length === NEWS.length)
  for (const { heard } of listeners) heard.length = 0
  teller.tell('send')
  for (const { until, heard } of listeners) await until(() => heard.includes('send'))
  teller.tell('plan')
  for (const { until, heard } of listeners) await until(() => heard.includes('plan'))
  for (const { heard } of listeners) assert.deepEqual(heard, ['send', 'plan'])
  for (const { end } of listeners) await end()
})

test('a listener whose connection is cut listens again, and supposes that it missed something', async () => {
  const { heard, until, end } = listener()
  await until(() => heard.length === NEWS.length)
  heard.length = 0
  const { count } = await withOwner(fresh.url, async (owner) =>
    owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'beckon test news'`,
    ),
  )
  assert.equal(count, 1)
  await until(() => NEWS.every((news) => heard.includes(news)))
  heard.length = 0
  teller.tell('plan')
  await until(() => heard.includes('plan'))
  await end()
})

test('a listener that is told to stop while it connects stops at once', { timeout: 4_000 }, async (t) => {
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
  const unheard = new Database({ url, connectionsMax: 1, name: 'beckon unheard' })
  const stop = new AbortController()
  const listening = unheard.listen(() => undefined, stop.signal)
  await once(silent, 'connection')
  stop.abort()
  await listening
  await unheard.close()
})

test('news that come while the same is on its way go together, and a failure is nobody’s trouble', async () => {
  const calls: { readonly news: string | undefined; readonly answer: PromiseWithResolvers<void> }[] = []
  const query: ConstructorParameters<typeof Herald>[0]['query'] = async (_, [, news]) => {
    const answer = Promise.withResolvers<void>()
    calls.push({ news, answer })
    return answer.promise
  }
  const herald = new Herald({ query }, { pauseMs: 0 })
  for (let count = 0; count < 100; count += 1) herald.tell('send')
  herald.tell('plan')
  assert.deepEqual(
    calls.map(({ news }) => news),
    ['send', 'plan'],
  )
  calls[0]?.answer.reject(new Error('no database'))
  calls[1]?.answer.resolve()
  while (calls.length < 3) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(
    calls.map(({ news }) => news),
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
