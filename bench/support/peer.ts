/**
 * A client in a process of its own: sends one message to every device, and then once more, and tells what each cost. The first
 * time it connects, signs and is compiled; the second time it is warm, as a server is that has been up for days.
 */
import { readFileSync } from 'node:fs'
import { openApns } from './apns-peer.ts'
import { openFirebase } from './firebase-peer.ts'
import { openOwnClient } from './own-client.ts'
import type { PeerClient, PeerCost, PeerCosts, PeerJob } from './peer-job.ts'
import { openWebPush } from './web-push-peer.ts'

const OPEN = {
  'web-push': openWebPush,
  'node-apn': openApns,
  'firebase-admin': openFirebase,
  'own client': openOwnClient,
} as const satisfies Record<PeerJob['peer'], (job: PeerJob) => PeerClient | Promise<PeerClient>>

/** The messages between the two measured times; with the first they are as many as Beckon has sent before it is measured. */
const WARM_UPS = 1

const job: PeerJob = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const client = await OPEN[job.peer](job)
const first = await measure(client)
for (let round = 0; round < WARM_UPS; round += 1) await client.send()
const costs: PeerCosts = { first, warm: await measure(client) }
process.stdout.write(`${JSON.stringify(costs)}\n`, () => process.exit(0))

async function measure({ send }: PeerClient): Promise<PeerCost> {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const sent = await send()
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, seconds: (performance.now() - startedAt) / 1000, sent }
}
