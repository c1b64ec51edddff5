import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { reasonOf } from '../../src/runtime/errors.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { isAway, isUnavailable } from '../../src/store/unavailable.ts'
import { startCluster } from '../support/database/cluster.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { startTcpProxy } from '../support/database/tcp-proxy.ts'
import { endWith, runBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const PORT = 'select inet_server_port() as port'

test('several hosts: the one that takes writes is found, and found again', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const silent = await listenSilently(context)
  const all = url([second, silent, first])
  const portOf = async (): Promise<number> => withOwner(all, async (owner) => portIn(owner))

  await context.test('a standby and a host that hangs delay nobody: owner, pools and listener', async () => {
    assert.equal(await portOf(), first.port)
    assert.ok((await migrate(all)) > 0)
  })

  const database = openDatabase(context, all)
  const heard: string[] = []
  const closing = new AbortController()
  const listening = database.listen((kind) => void heard.push(kind), closing.signal)
  endWith(context, async () => {
    closing.abort()
    await listening
  })

  await context.test('every pool is on the server that takes writes', async () => {
    assert.deepEqual(await portsOf(database), [first.port])
  })

  await context.test('beckon commands find it too', async () => {
    const { stdout } = await runBeckon(['doctor', '--json'], { DATABASE_URL: all })
    assert.match(stdout, /"name":"database","state":"good"/)
  })

  await context.test('a standby alone is refused with a sentence', async () => {
    await assert.rejects(
      withOwner(second.url, async (owner) => portIn(owner)),
      new RegExp(`${second.address} is a standby`),
    )
  })

  await context.test('no server that takes writes: the error names each host and its reason', async () => {
    const stranger = { address: '127.0.0.1:1' }
    await assert.rejects(
      withOwner(url([second, stranger]), async (owner) => portIn(owner)),
      new RegExp(`${second.address}: it is a standby; 127.0.0.1:1: `),
    )
  })

  await context.test('after a failover the pools and the listener are on the new server', async () => {
    heard.length = 0
    await first.kill()
    await second.promote()
    await untilOn(database, second.port)
    await until(() => heard.includes('send'), { what: 'the listener on the new server' })
    heard.length = 0
    database.notify('plan')
    await until(() => heard.includes('plan'), { what: 'a hint by the new server' })
  })
})

test('a server that became a standby under its sessions: the statement runs on the new one', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const database = openDatabase(context, url(nodes))
  await database.query('select pg_notify($1, $2)', ['here', 'first'])
  // Sessions stay connected to a server that takes no writes any more, as behind a proxy that moved them.
  await second.promote()
  await withOwner(first.url, async (owner) => {
    await owner.query('alter system set default_transaction_read_only = on')
    await owner.query('select pg_reload_conf()')
  })
  await until(
    async () =>
      database
        .asEngine(async (tx) => {
          await tx.query('create temporary table if not exists written_here (id integer)')
          return portIn(tx)
        })
        .then((port) => port === second.port),
    { what: 'a write on the new server' },
  )
})

test('two servers take writes: the one that took over is meant, and the older one is left', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const early = openDatabase(context, url(nodes))
  assert.deepEqual(await portsOf(early), [first.port])

  await second.promote()

  await context.test('by a new process, in whatever order they are named', async () => {
    const orders = [nodes, nodes.toReversed(), nodes, nodes.toReversed(), nodes]
    const found = async (): Promise<readonly number[]> =>
      Promise.all(orders.map(async (order) => withOwner(url(order), portIn)))
    // A newer server that answers a second later than the older one may be missed once.
    await until(async () => (await found()).every((port) => port === second.port), {
      what: 'the newer server, five times of five',
    })
  })

  await context.test('by a process that works with the older one, which answers as before', async () => {
    await untilOn(early, second.port)
  })

  await context.test('and the older one is not taken when the newer one is away', async () => {
    await second.kill()
    const refusal = `${first.address} takes writes on timeline 1, but a server has taken over on timeline 2`
    await until(
      async () =>
        early.query('select 1').then(
          () => assert.fail('the older server answered'),
          (cause: unknown) => reasonOf(cause).includes(refusal),
        ),
      { what: 'the reason' },
    )
    // Only the memory of a process refuses it: after pg_upgrade, which begins timeline 1 again, a restart is enough.
    assert.deepEqual(await portsOf(openDatabase(context, url(nodes))), [first.port])
    await second.start()
    await untilOn(early, second.port)
  })
})

test('a machine that is frozen and woken after another took over gets no statement', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const proxy = await startTcpProxy(context, first.port)
  const database = openDatabase(context, url([proxy, second]))
  assert.deepEqual(await portsOf(database), [first.port])
  proxy.fallSilent()
  // This search has heard that the second is a standby, and waits for the first.
  const waiting = database.query('select 1').catch(() => undefined)
  await second.promote()
  proxy.speakAgain()
  await waiting
  await untilOn(database, second.port)
  const later = Array.from({ length: 20 }, async () => portsOf(database))
  assert.deepEqual([...new Set((await Promise.all(later)).flat())], [second.port])
})

test('a machine that falls silent: its connections are cut as soon as another server takes writes', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const proxy = await startTcpProxy(context, first.port)
  const database = openDatabase(context, url([proxy, second]))
  assert.deepEqual(await portsOf(database), [first.port])
  proxy.fallSilent()
  // The machine is gone without a word: nothing would end this wait for many minutes.
  const waiting = assert.rejects(database.query('select 1'), isUnavailable)
  await second.promote()
  await waiting
  await untilOn(database, second.port)
})

for (const [named, others] of [
  ['several hosts', ',127.0.0.1:1'],
  ['one host', ''],
] as const)
  test(`${named}, and the machine falls silent: calls end, and start again with it`, async (context) => {
    const { url, drop } = await freshDatabase()
    endWith(context, drop)
    const { host, port } = new URL(url)
    const proxy = await startTcpProxy(context, Number(port))
    const database = openDatabase(context, url.replace(host, `${proxy.address}${others}`))
    await database.query('select 1')
    proxy.fallSilent()
    await Promise.all([
      assert.rejects(database.query('select 1'), isAway),
      assert.rejects(
        database.asBrand(1, async (tx) => tx.query('select 1')),
        isAway,
      ),
    ])
    await assert.rejects(database.query('select 1'), isAway)
    proxy.speakAgain()
    await until(async () => answers(database), { what: 'the machine again' })
  })

test('one address that moves to the server that took over: the connections to the old one are cut', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const proxy = await startTcpProxy(context, first.port)
  const database = openDatabase(context, url([proxy]))
  assert.deepEqual(await portsOf(database), [first.port])
  // The watch has looked at the first server at least once.
  await until(async () => withOwner(first.url, hasWatch), { what: 'the watch' })
  await second.promote()
  proxy.moveTo(second.port)
  await assert.rejects(database.query('select 1'), isAway)
  await untilOn(database, second.port)
})

test('one address that leads to a standby for a while: the connections to the silent primary are cut', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [first, second] = nodes
  assert.ok(first !== undefined && second !== undefined)
  const proxy = await startTcpProxy(context, first.port)
  const database = openDatabase(context, url([proxy]))
  assert.deepEqual(await portsOf(database), [first.port])
  proxy.moveTo(second.port)
  await assert.rejects(database.query('select 1'), isAway)
  await assert.rejects(database.query('select 1'), isAway)
  await second.promote()
  await untilOn(database, second.port)
})

test('one host that refuses new connections is not silent: its sessions go on', async (context) => {
  const { url, drop } = await freshDatabase()
  endWith(context, drop)
  const database = openDatabase(context, url)
  const name = new URL(url).pathname.slice(1)
  await until(async () => withOwner(url, hasWatch), { what: 'the watch' })
  await database.query('select 1')
  await withOwner(url, async (owner) => {
    await withOwner(url.replace(`/${name}`, '/postgres'), async (server) =>
      server.query(`alter database ${name} allow_connections false`),
    )
    // A watch that is asking at one look is ended at the next. It cannot connect again.
    await until(async () => (await owner.query(END_WATCHES)).count === 0, { what: 'the end of the watch' })
    // Longer than a silent server is waited for.
    await database.query('select pg_sleep(15)')
    assert.equal(await hasWatch(owner), false)
  })
})

const IS_WATCH = `datname = current_database() and application_name = 'beckon test look'`
const END_WATCHES = `select pg_terminate_backend(pid) from pg_stat_activity where ${IS_WATCH}`
/** The connection of the watch has asked something, and waits for its next question. */
const OF_WATCH = `${IS_WATCH} and state = 'idle'`

async function hasWatch(db: Db): Promise<boolean> {
  const { count } = await db.query(`select from pg_stat_activity where ${OF_WATCH} and query <> ''`)
  return count > 0
}

async function answers(database: Database): Promise<boolean> {
  return database.query('select 1').then(
    () => true,
    () => false,
  )
}

type Addressed = { readonly address: string }
type Sql = Pick<Database, 'query'>

async function portIn(db: Sql): Promise<number> {
  const { rows } = await db.query<{ port: number }>(PORT)
  return rows[0]?.port ?? 0
}

async function portsOf(database: Database): Promise<readonly number[]> {
  const ports = await Promise.all([
    portIn(database),
    portIn(database.queue),
    portIn(database.team),
    database.asBrand(1, portIn),
    database.asTeam(portIn),
  ])
  return [...new Set(ports)]
}

async function untilOn(database: Database, port: number): Promise<void> {
  await until(
    async () =>
      portsOf(database).then(
        (ports) => ports.join() === String(port),
        () => false,
      ),
    {
      what: `all pools on port ${port}`,
    },
  )
}

function openDatabase(context: TestContext, url: string): Database {
  const database = new Database({ ...PATIENT, url, connectionsMax: 2, name: 'beckon test', author: 'system' })
  endWith(context, async () => database.close())
  return database
}

/** A host that takes connections and never says a word, as a machine that hangs does. */
async function listenSilently(context: TestContext): Promise<Addressed> {
  const server = createServer()
  const sockets = new Set<{ destroy: () => void }>()
  server.on('connection', (socket) => void sockets.add(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endWith(context, async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { address: `127.0.0.1:${address.port}` }
}
