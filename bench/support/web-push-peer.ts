import { Agent } from 'node:https'
import webPush from 'web-push'
import type { PeerClient, PeerJob } from './peer-job.ts'

const IN_FLIGHT = 100

/** `web-push`, with connections that are kept. */
export function openWebPush({ access, vapid, devices }: PeerJob): PeerClient {
  const agent = new Agent({ ca: access.certificate, keepAlive: true, maxSockets: IN_FLIGHT })
  const options = { vapidDetails: { subject: 'mailto:push@example.com', ...vapid }, agent, TTL: 3600 }
  const payload = JSON.stringify({ title: 'Hello', message: 'A message of some length to a device' })
  return {
    send: async () => {
      let sent = 0
      const waiting = [...devices]
      const sendAll = async (): Promise<void> => {
        for (let device = waiting.pop(); device !== undefined; device = waiting.pop()) {
          const { address: endpoint, p256dh = '', auth = '' } = device
          await webPush.sendNotification({ endpoint, keys: { p256dh, auth } }, payload, options)
          sent += 1
        }
      }
      await Promise.all(Array.from({ length: IN_FLIGHT }, sendAll))
      return sent
    },
  }
}
