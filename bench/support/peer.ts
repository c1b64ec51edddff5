/** A client in a process of its own: sends one message to every device and tells what it cost. */
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { Notification, Provider } from '@parse/node-apn'
import webPush from 'web-push'
import { openFirebase } from './firebase-peer.ts'
import { openOwnClient } from './own-client.ts'
import type { PeerCost, PeerJob } from './peer-job.ts'

const WEB_PUSH_IN_FLIGHT = 100

const job: PeerJob = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const ready = await openReady(job)
const cpu = process.cpuUsage()
const startedAt = performance.now()
const sent = await sendBy(job)
const { user, system } = process.cpuUsage(cpu)
const cost: PeerCost = {
  cpuMs: (user + system) / 1000,
  seconds: (performance.now() - startedAt) / 1000,
  sent,
}
process.stdout.write(`${JSON.stringify(cost)}\n`, () => process.exit(0))

/** The clients that have something to prepare, which is not measured. */
async function openReady(given: PeerJob): Promise<{ readonly send: () => Promise<number> } | null> {
  if (given.peer === 'own client') return openOwnClient(given)
  return given.peer === 'firebase-admin' ? openFirebase(given) : null
}

async function sendBy(given: PeerJob): Promise<number> {
  if (ready !== null) return ready.send()
  return given.peer === 'web-push' ? sendWebPush(given) : sendApns(given)
}

async function sendWebPush({ access, vapid, devices }: PeerJob): Promise<number> {
  const agent = new Agent({ ca: access.certificate, keepAlive: true, maxSockets: WEB_PUSH_IN_FLIGHT })
  const options = { vapidDetails: { subject: 'mailto:push@example.com', ...vapid }, agent, TTL: 3600 }
  const payload = JSON.stringify({ title: 'Hello', message: 'A message of some length to a device' })
  let sentCount = 0
  const waiting = [...devices]
  const sendAll = async (): Promise<void> => {
    for (let device = waiting.pop(); device !== undefined; device = waiting.pop()) {
      const { address: endpoint, p256dh = '', auth = '' } = device
      await webPush.sendNotification({ endpoint, keys: { p256dh, auth } }, payload, options)
      sentCount += 1
    }
  }
  await Promise.all(Array.from({ length: WEB_PUSH_IN_FLIGHT }, sendAll))
  return sentCount
}

async function sendApns({ access, devices, apnsKey }: PeerJob): Promise<number> {
  const { keyPem: key, keyId, teamId, bundleId } = apnsKey
  const port = Number(new URL(access.apns.origin).port)
  const provider = new Provider({
    token: { key, keyId, teamId },
    address: 'localhost',
    port,
    ca: [access.certificate],
  })
  const alert = { title: 'Hello', body: 'A message of some length to a device' }
  const notification = new Notification({ alert, topic: bundleId })
  notification.pushType = 'alert'
  const answer = await provider.send(
    notification,
    devices.map(({ address }) => address),
  )
  return answer.sent.length
}
