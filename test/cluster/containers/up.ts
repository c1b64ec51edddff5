/**
 * Starts the containers of compose.yaml and of deploy/cluster/compose.yaml, in the namespace of the hub (`tryImages`), and prints a
 * sentence of what it saw.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { until } from '../../support/until.ts'
import { ROOT } from '../lab/folder.ts'
import { type Host, NODES } from '../lab/network.ts'
import { findPrimary, isWhole, waitForPrimary } from '../lab/patroni.ts'
import type { Service } from './compose.ts'
import { Container, forgetContainers, hostOf } from './container.ts'
import { type Image, imageOf } from './image.ts'
import { CLUSTER_COMPOSE, containerNetwork, KEY, ONE_COMPOSE, servicesOf } from './project.ts'

/** The balancer's image is not one of ours: HAProxy of the lab's Debian stands in for it, started as that image starts it. */
const HAPROXY: Image = {
  user: 'haproxy',
  folder: '/',
  variables: {},
  command: ['haproxy', '-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'],
  layers: [ROOT],
  parts: [],
}

const network = containerNetwork()
forgetContainers()
const containers = servicesOf(CLUSTER_COMPOSE).map(make)
const seen = [await tryOne(), await tryCluster()]
await Promise.all(containers.map(async (container) => container.stop()))
process.stdout.write(`${seen.join('; ')}\n`)
// Connections to containers that are off would keep the process alive.
process.exit(0)

/** The one container of compose.yaml, with a key that is not that of the file, which Beckon refuses. */
async function tryOne(): Promise<string> {
  const [service] = servicesOf(ONE_COMPOSE)
  assert.ok(service !== undefined)
  const beckon = make({ ...service, variables: { ...service.variables, BECKON_API_KEY: KEY } })
  beckon.start()
  await untilReady(hostOf(service), beckon)
  await beckon.stop()
  return 'compose.yaml: /readyz answered 200'
}

async function tryCluster(): Promise<string> {
  for (const container of containers) container.start()
  const database = named('database')
  await until(() => database.ends.at(-1) === 0, { what: `the database: see ${database.log}` })
  await until(isWhole, { what: 'three nodes that stream' })
  const listed = await named('n1').run('patronictl', '-c', '/etc/beckon/patroni.yml', 'list')
  assert.equal(listed.match(/\| Leader /g)?.length, 1, listed)
  assert.equal(listed.match(/\| Quorum Standby /g)?.length, 2, listed)
  const balancer = named('balancer')
  await untilReady(hostOf(balancer.service), balancer)
  await log(balancer, 'before')
  for (const { name } of NODES) {
    // Nothing else makes this file.
    const reserve = `/proc/${named(`disk-guard-${name}`).init}/root/var/lib/postgresql/beckon/reserve`
    await until(() => existsSync(reserve), { what: `the reserve of ${name}` })
  }
  const primary = await waitForPrimary()
  await leadEtcd(named(`etcd-${primary.name}`))
  await until(async () => !(await isEtcdLeader(named(`etcd-${primary.name}`))), {
    what: 'the leader of etcd to leave the node of the primary',
  })
  named(primary.name).kill()
  await until(async () => ((await findPrimary()) ?? primary).name !== primary.name, {
    what: 'another primary',
  })
  await log(balancer, 'after')
  await until(isWhole, { what: 'three nodes again' })
  return `deploy/cluster/compose.yaml: ${containers.length} containers ran, both guards worked, and events were taken before and after the primary was killed`
}

function named(name: string): Container {
  const found = containers.find(({ service }) => service.name === name)
  if (found === undefined) throw new Error(`no container ${name}`)
  return found
}

function make(service: Service): Container {
  const { image } = service
  return new Container(service, 'dockerfile' in image ? imageOf(image.dockerfile) : HAPROXY, network)
}

async function untilReady({ address }: Host, container: Container): Promise<void> {
  await until(async () => (await fetch(`http://${address}:8080/readyz`).catch(() => null))?.ok === true, {
    what: `/readyz: see ${container.log}`,
  })
}

/** Sends the same event until it is acknowledged: during a failover callers get 503. */
async function log({ service }: Container, name: string): Promise<void> {
  const request = {
    method: 'POST',
    headers: { 'x-brand-id': 'acme', 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ nv: [{ userID: 'p', event_name: 'seen', event_id: name, attributes: {} }] }),
  }
  await until(
    async () =>
      (await fetch(`http://${service.address}:8080/api/event`, request).catch(() => null))?.ok === true,
    { what: `the event ${name} to be taken` },
  )
}

/** Makes this etcd the leader, as an election could. */
async function leadEtcd(etcd: Container): Promise<void> {
  const { id } = await statusOf(etcd)
  // The present leader has to be asked. etcdctl finds it among all members.
  const all = NODES.map(({ name }) => hostOf(named(`etcd-${name}`).service).address)
  await etcd.run(
    'etcdctl',
    `--endpoints=${all.map((address) => `${address}:2379`).join(',')}`,
    'move-leader',
    id,
  )
}

async function isEtcdLeader(etcd: Container): Promise<boolean> {
  const { id, leader } = await statusOf(etcd)
  return id === leader
}

/** In hexadecimal digits, as etcdctl takes them. */
async function statusOf(etcd: Container): Promise<{ readonly id: string; readonly leader: string }> {
  // The numbers have 64 bits.
  const text = await etcd.run('etcdctl', 'endpoint', 'status', '--write-out=fields')
  const found = (name: string): string =>
    BigInt(new RegExp(`"${name}" : (\\d+)`).exec(text)?.[1] ?? 0).toString(16)
  return { id: found('MemberID'), leader: found('Leader') }
}
