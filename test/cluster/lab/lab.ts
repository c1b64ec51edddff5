import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../../src/store/db.ts'
import { until } from '../../support/until.ts'
import { HOME, type LabBrand, makeApps, makeBalancer, saveAccess } from './apps.ts'
import type { Machine } from './machine.ts'
import { APPS, type Host, HUB } from './network.ts'
import { makeNodes, PASSWORD, stopNodes, wipeNodes } from './nodes.ts'
import { isWhole, waitForPrimary } from './patroni.ts'
import { newAccess, type Providers, startProviders } from './providers.ts'

const FORM_MAX_MS = 60_000

/** Three database machines, two machines that run Beckon, a load balancer, and the providers. */
export type Lab = {
  readonly nodes: readonly Machine[]
  readonly apps: readonly Machine[]
  readonly providers: Providers
  readonly brand: LabBrand
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Runs in the hub's namespace. Disks that are kept save the time to make a cluster; a cluster that does not form is made anew. */
export async function startLab({ keepDisks }: { readonly keepDisks: boolean }): Promise<Lab> {
  const nodes = await startNodes(keepDisks)
  await makeDatabase()
  const providers = await startProviders()
  const brand = { id: `lab-${Date.now().toString(36)}`, key: randomBytes(24).toString('hex') }
  const balancer = await makeBalancer()
  await saveAccess(newAccess(providers.sandbox))
  const apps = await makeApps(brand)
  const machines = [balancer, ...apps]
  await Promise.all(machines.map(async (machine) => machine.start()))
  await untilServing()
  const stop = async (): Promise<void> => {
    await Promise.all(machines.map(async (machine) => machine.cutPower()))
    await stopNodes(nodes)
  }
  return { nodes, apps, providers, brand, url: `http://${HUB.address}:8080`, stop }
}

async function startNodes(keepDisks: boolean): Promise<readonly Machine[]> {
  if (!keepDisks) wipeNodes()
  const nodes = await makeNodes()
  await Promise.all(nodes.map(async (node) => node.start()))
  const startedAt = performance.now()
  let isFormed = false
  await until(
    async () => {
      isFormed = await isWhole()
      return isFormed || (keepDisks && performance.now() - startedAt > FORM_MAX_MS)
    },
    { what: 'three nodes that stream' },
  )
  if (isFormed) return nodes
  for (const node of nodes) await node.cutPower()
  return startNodes(false)
}

/** Waits for Beckon on both machines, and for the load balancer to notice. */
export async function untilServing(): Promise<void> {
  await until(async () => (await Promise.all([HUB, ...APPS].map(isReady))).every(Boolean), {
    what: 'Beckon on two machines',
  })
}

export async function isReady({ address }: Host): Promise<boolean> {
  const reply = await fetch(`http://${address}:8080/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => null,
  )
  return reply?.ok === true
}

/**
 * Runs deploy/cluster/database.sql on the primary as its superuser. A database that is there is made anew: it may have the
 * schema of another Beckon.
 */
export async function makeDatabase(): Promise<void> {
  const primary = await waitForPrimary()
  const sql = readFileSync(join(HOME, 'deploy/cluster/database.sql'), 'utf8').replaceAll('@BECKON@', PASSWORD)
  await withOwner(`postgres://postgres:${PASSWORD}@${primary.address}/postgres`, async (session) => {
    const { count } = await session.query(`select from pg_database where datname = 'beckon'`)
    const again = [
      'drop database beckon with (force)',
      'create database beckon owner beckon',
      // A lab that was made before has the role without it.
      'grant pg_monitor to beckon',
    ]
    // One at a time: a database cannot be made within a transaction.
    for (const statement of count > 0 ? again : sql.split(';').slice(0, -1)) await session.query(statement)
  })
}
