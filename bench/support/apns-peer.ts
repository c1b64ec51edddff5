import { Notification, Provider } from '@parse/node-apn'
import type { PeerClient, PeerJob } from './peer-job.ts'

/** `@parse/node-apn` with one provider, as its documentation asks. */
export function openApns({ access, devices, apnsKey }: PeerJob): PeerClient {
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
  const tokens = devices.map(({ address }) => address)
  return { send: async () => (await provider.send(notification, tokens)).sent.length }
}
