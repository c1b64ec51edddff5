import { sh, tryTo } from './shell.ts'

export type Host = { readonly name: string; readonly address: string }

/** Clients, providers and the load balancer live here, where the switch is. */
export const HUB: Host = { name: 'hub', address: '10.84.0.1' }

export const NODES = [
  { name: 'n1', address: '10.84.0.11' },
  { name: 'n2', address: '10.84.0.12' },
  { name: 'n3', address: '10.84.0.13' },
] as const satisfies readonly Host[]

export const APPS = [
  { name: 'a1', address: '10.84.0.21' },
  { name: 'a2', address: '10.84.0.22' },
] as const satisfies readonly Host[]

/** The names of all namespaces of a network begin with its prefix; no other namespace is touched. */
export type Network = { readonly prefix: string; readonly hosts: readonly Host[] }

const LAB_NETWORK: Network = { prefix: 'beckon-lab', hosts: [...NODES, ...APPS] }

export function namespaceOf({ name }: Pick<Host, 'name'>, { prefix } = LAB_NETWORK): string {
  return `${prefix}-${name}`
}

/** One switch and a cable to each machine. All traffic stays in these namespaces. */
export async function makeNetwork(network = LAB_NETWORK): Promise<void> {
  await removeNetwork(network)
  const hub = namespaceOf(HUB, network)
  await sh('ip', 'netns', 'add', hub)
  await inside(hub, 'link', 'set', 'lo', 'up')
  await inside(hub, 'link', 'add', 'br0', 'type', 'bridge')
  await inside(hub, 'addr', 'add', `${HUB.address}/24`, 'dev', 'br0')
  await inside(hub, 'link', 'set', 'br0', 'up')
  for (const host of network.hosts) {
    const own = namespaceOf(host, network)
    await sh('ip', 'netns', 'add', own)
    await inside(hub, 'link', 'add', host.name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', own)
    await inside(hub, 'link', 'set', host.name, 'master', 'br0', 'up')
    await inside(own, 'addr', 'add', `${host.address}/24`, 'dev', 'eth0')
    await inside(own, 'link', 'set', 'eth0', 'up')
    await inside(own, 'link', 'set', 'lo', 'up')
  }
}

/** Removes the namespaces of this run, or of one that was killed. */
export async function removeNetwork({ prefix } = LAB_NETWORK): Promise<void> {
  const listed = await tryTo('ip', 'netns', 'list')
  const names = listed.split('\n').map((line) => line.split(' ')[0] ?? '')
  for (const name of names.filter((one) => one.startsWith(`${prefix}-`))) {
    await tryTo('ip', 'netns', 'delete', name)
  }
}

/** Pulls the cable of a machine, or plugs it in again. */
export async function setCable(host: Host, state: 'up' | 'down'): Promise<void> {
  await inside(namespaceOf(HUB), 'link', 'set', host.name, state)
}

/** One machine drops what goes to the others, which is enough for neither to hear the other. */
export async function part(host: Host, others: readonly Host[]): Promise<void> {
  for (const { address } of others) await route(host, 'add', address)
}

export async function join(host: Host, others: readonly Host[]): Promise<void> {
  for (const { address } of others) await route(host, 'del', address)
}

async function route(host: Host, change: 'add' | 'del', address: string): Promise<void> {
  await inside(namespaceOf(host), 'route', change, 'blackhole', `${address}/32`)
}

async function inside(namespace: string, ...args: readonly string[]): Promise<void> {
  await sh('ip', '-n', namespace, ...args)
}
