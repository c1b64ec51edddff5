import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { Database, withOwner } from '../../src/store/db.ts'
import { type PostgresNode, startCluster } from '../support/database/cluster.ts'
import { PATIENT } from '../support/database/database.ts'
import { endWith } from '../support/processes/beckon.ts'

const USED = `select ssl, client_dn is not null and client_dn <> '' as "hasCertificate"
  from pg_stat_ssl where pid = pg_backend_pid()`

test('encrypted connections to the database', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-tls-'))
  endWith(context, async () => rm(folder, { recursive: true, force: true }))
  const files = await makeFiles(folder)
  const { nodes } = await startCluster(context, 1)
  const [node] = nodes
  assert.ok(node !== undefined)
  await encrypt(node, { folder, clientAuth: 'scram-sha-256' })
  const url = (host: string, query: string): string => `${node.url.replace('127.0.0.1', host)}?${query}`

  await context.test('without sslmode nothing is encrypted', async () => {
    assert.equal((await sessionOf(url('127.0.0.1', '')))?.ssl, false)
  })

  await context.test('verify-full checks the chain and the name', async () => {
    const full = `sslmode=verify-full&sslrootcert=${files.root}`
    assert.equal((await sessionOf(url('localhost', full)))?.ssl, true)
    assert.equal((await sessionOf(url('127.0.0.1', full)))?.ssl, true)
    // 127.0.0.2 is the same machine, and the certificate does not name it.
    await assert.rejects(sessionOf(url('127.0.0.2', full)), /does not match certificate's altnames/)
    await assert.rejects(
      sessionOf(url('localhost', `sslmode=verify-full&sslrootcert=${files.otherRoot}`)),
      /unable to verify|self[- ]signed|certificate/,
    )
    await assert.rejects(sessionOf(url('localhost', 'sslmode=verify-full')), /certificate/)
  })

  await context.test('verify-ca and require with a root check the chain and not the name', async () => {
    for (const mode of ['verify-ca', 'require']) {
      assert.equal(
        (await sessionOf(url('127.0.0.2', `sslmode=${mode}&sslrootcert=${files.root}`)))?.ssl,
        true,
      )
      await assert.rejects(
        sessionOf(url('127.0.0.1', `sslmode=${mode}&sslrootcert=${files.otherRoot}`)),
        /certificate/,
      )
    }
  })

  await context.test('require without a root only encrypts, as in libpq', async () => {
    assert.equal((await sessionOf(url('127.0.0.1', 'sslmode=require')))?.ssl, true)
  })

  await context.test('a file that is missing is named', async () => {
    await assert.rejects(
      sessionOf(url('127.0.0.1', `sslmode=verify-full&sslrootcert=${folder}/none.pem`)),
      /sslrootcert of DATABASE_URL cannot be read: .*none\.pem/,
    )
  })

  await context.test(
    'a server that demands a client certificate gets one, from pools and owner',
    async () => {
      await encrypt(node, { folder, clientAuth: 'cert' })
      const full = `sslmode=verify-full&sslrootcert=${files.root}`
      await assert.rejects(sessionOf(url('localhost', full)), /certificate/)
      const own = url('localhost', `${full}&sslcert=${files.clientCert}&sslkey=${files.clientKey}`)
      assert.deepEqual(await sessionOf(own), { ssl: true, hasCertificate: true })
      const database = new Database({ url: own, connectionsMax: 1, name: 'beckon test' })
      endWith(context, async () => database.close())
      assert.equal((await database.query('select 1 as one')).count, 1)
    },
  )
})

/** The names of the two machines, and that of a third one. All are this machine. */
const [HERE, THERE, ELSEWHERE] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const

test('verify-full with several hosts holds each host to its own name', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-tls-'))
  endWith(context, async () => rm(folder, { recursive: true, force: true }))
  const root = makeCertificate(Date.now())
  const rootFile = join(folder, 'root.crt')
  await writeFile(rootFile, root.cert)
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  const addresses = [{ address: `${HERE}:${primary.port}` }, { address: `${THERE}:${standby.port}` }]
  const both = `${url(addresses)}?sslmode=verify-full&sslrootcert=${rootFile}`
  const present = async (node: PostgresNode, name: string): Promise<void> => {
    const { key, cert } = makeCertificate(Date.now(), [name], root)
    await writeFile(join(folder, `${node.port}.key`), key, { mode: 0o600 })
    await writeFile(join(folder, `${node.port}.crt`), cert)
    await node.stop()
    await writeFile(join(node.folder, 'pg_hba.conf'), ENCRYPTED_ONLY)
    const settings = {
      listen_addresses: `127.0.0.1,${node === primary ? HERE : THERE}`,
      ssl: 'on',
      ssl_cert_file: join(folder, `${node.port}.crt`),
      ssl_key_file: join(folder, `${node.port}.key`),
    }
    await (node === primary ? node.start(settings) : node.follow(primary, settings))
  }
  const portOf = async (): Promise<number> =>
    withOwner(both, async (owner) => {
      const { rows } = await owner.query<{ port: number; ssl: boolean }>(
        'select inet_server_port() as port, ssl from pg_stat_ssl where pid = pg_backend_pid()',
      )
      assert.equal(rows[0]?.ssl, true)
      return rows[0]?.port ?? 0
    })

  await context.test('each with a certificate of its own name: the primary is found', async () => {
    await present(primary, HERE)
    await present(standby, THERE)
    assert.equal(await portOf(), primary.port)
    const database = new Database({ ...PATIENT, url: both, connectionsMax: 1, name: 'beckon test' })
    endWith(context, async () => database.close())
    assert.equal((await database.query('select 1 as one')).count, 1)
  })

  await context.test('a primary with the name of another host of the list is refused, by name', async () => {
    for (const name of [THERE, ELSEWHERE]) {
      await present(primary, name)
      await assert.rejects(
        portOf(),
        new RegExp(`${addresses[0]?.address}: .*does not match certificate's altnames`),
      )
    }
  })

  await context.test(
    "a standby with a wrong name is in nobody's way, and is refused when it takes over",
    async () => {
      await present(primary, HERE)
      await present(standby, HERE)
      assert.equal(await portOf(), primary.port)
      await primary.stop()
      await standby.promote()
      await assert.rejects(
        portOf(),
        new RegExp(`${addresses[1]?.address}: .*does not match certificate's altnames`),
      )
    },
  )
})

/** Standbys of this test stream without encryption. */
const ENCRYPTED_ONLY = `hostssl all all 127.0.0.0/8 scram-sha-256
hostnossl replication all 127.0.0.1/32 scram-sha-256
`

async function sessionOf(url: string) {
  const { rows } = await withOwner(url, async (owner) =>
    owner.query<{ ssl: boolean; hasCertificate: boolean }>(USED),
  )
  return rows[0]
}

async function makeFiles(folder: string) {
  const now = Date.now()
  const [root, otherRoot] = [makeCertificate(now), makeCertificate(now)]
  const server = makeCertificate(now, [], root)
  const client = makeCertificate(now, [], root)
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  await write('server.crt', server.cert)
  await write('server.key', server.key)
  return {
    root: await write('root.crt', root.cert),
    otherRoot: await write('other.crt', otherRoot.cert),
    clientCert: await write('client.crt', client.cert),
    clientKey: await write('client.key', client.key),
  }
}

/** Starts the server again with encryption. With `cert`, a client must show a certificate of the same authority. */
async function encrypt(
  node: PostgresNode,
  { folder, clientAuth }: { readonly folder: string; readonly clientAuth: 'scram-sha-256' | 'cert' },
): Promise<void> {
  await node.stop()
  const demand = clientAuth === 'cert' ? ' clientcert=verify-ca' : ''
  const lines = [
    `hostssl all all 127.0.0.0/8 scram-sha-256${demand}`,
    ...(clientAuth === 'cert' ? [] : ['hostnossl all all 127.0.0.0/8 scram-sha-256']),
  ]
  await writeFile(join(node.folder, 'pg_hba.conf'), lines.map((line) => `${line}\n`).join(''))
  await chmod(join(folder, 'server.key'), 0o600)
  await node.start({
    listen_addresses: '127.0.0.1,127.0.0.2',
    ssl: 'on',
    ssl_cert_file: join(folder, 'server.crt'),
    ssl_key_file: join(folder, 'server.key'),
    ssl_ca_file: join(folder, 'root.crt'),
  })
}
