import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { SandboxAccess } from '../../../src/delivery/sandbox/file.ts'
import type { Platform } from '../../../src/rules/platforms.ts'
import { makeP256Pair } from '../../../src/runtime/secrets/key-pair.ts'
import { makeCertificate } from '../../../src/sandbox/certificate.ts'
import type { InboxMessage } from '../../../src/sandbox/inbox.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import type { SeedDevice } from '../subscriptions/subscriptions.ts'
import { sandboxAccess } from './engine.ts'
import { type SecondFault, SecondProvider } from './second-provider.ts'

/** Providers that can be told to fail: the sandbox through its dial, or the second provider. */
export type FarEnd = {
  readonly access: SandboxAccess
  readonly newDevice: (platform: Platform, vapidKey: string) => SeedDevice
  /** The first message of a brand to each of these devices fails, or every one. */
  readonly addTrouble: (trouble: Trouble) => void
  /** How many messages of the brand have failed. */
  readonly failedCount: (trouble: Trouble) => number
  /** How many messages a device has got. */
  readonly takenBy: (device: SeedDevice) => number
  /** When the last message of a device came, and when its life ends as the provider was told; null if none came. */
  readonly lastOf: (device: SeedDevice) => LastMessage | null
  readonly close: () => Promise<void>
}

export type LastMessage = { readonly arrivedAt: number; readonly endsAt: number }

export type Trouble = {
  readonly brandId: number
  readonly platform: Platform
  readonly devices: readonly SeedDevice[]
  readonly fault: SecondFault
  readonly isLasting: boolean
}

const HOSTS = { android: 'fcm', ios: 'apns', web: 'webpush' } as const

/** The sandbox, whose faults are set as `POST /sandbox/faults` sets them. */
export async function openDialledSandbox(): Promise<FarEnd> {
  const sandbox = await startSandbox()
  const { dial, inbox, fcm, apns, web } = sandbox
  return {
    access: sandboxAccess(sandbox),
    newDevice: (platform, vapidKey) => {
      if (platform === 'android') return { address: fcm.newToken() }
      if (platform === 'ios') return { address: apns.newToken() }
      const { endpoint, keys } = web.newSubscription(vapidKey)
      return { address: endpoint, ...keys }
    },
    addTrouble: ({ brandId, platform, devices, fault, isLasting }) => {
      for (const { address } of devices) {
        const rule = dial.add({
          brandId,
          fault: fault.kind,
          status: fault.kind === 'answer' ? fault.status : 503,
          retryAfter: fault.kind === 'answer' ? fault.retryAfter : null,
          delayMs: fault.kind === 'late' ? fault.delayMs : 1,
          share: 1,
          host: HOSTS[platform],
          token: address,
          times: isLasting ? null : 1,
          seconds: 3600,
        })
        if (rule === null) throw new Error('too many rules')
      }
    },
    failedCount: ({ brandId }) => dial.list(brandId).reduce((sum, { count }) => sum + count, 0),
    takenBy: ({ address }) => inbox.newest().filter((arrival) => arrival.address === address).length,
    lastOf: ({ address }) => {
      const last = inbox.newest().findLast((arrival) => arrival.address === address)
      return last === undefined ? null : { arrivedAt: last.arrivedAt, endsAt: toldEnd(last) }
    },
    close: sandbox.close,
  }
}

/** The end of a message as the push service was told it. */
export function toldEnd(message: InboxMessage): number {
  const told = toldOf(message) * 1000
  return message.platform === 'ios' ? told : message.arrivedAt + told
}

/** The life of the message as the push service was told it: in seconds, or for Apple the second at which it ends. */
export function toldOf({ platform, headers, payload }: InboxMessage): number {
  if (platform === 'ios') return Number(headers['apns-expiration'])
  if (platform === 'web') return Number(headers['ttl'])
  return Number(/"ttl":"(\d+)s"/.exec(JSON.stringify(payload))?.[1])
}

/** The second provider, which shares no protocol with the sandbox; only the certificate is made in the same way. */
export async function openSecondProvider(): Promise<FarEnd> {
  const certificate = makeCertificate(Date.now())
  const provider = new SecondProvider(certificate)
  await provider.listen()
  return {
    access: accessOf(provider, certificate.cert),
    newDevice: (platform) => {
      const id = randomBytes(32).toString('hex')
      if (platform !== 'web') return { address: id }
      const auth = randomBytes(16).toString('base64url')
      return { address: `${provider.originOf('webpush')}/p/${id}`, p256dh: makeP256Pair().publicKey, auth }
    },
    addTrouble: ({ devices, fault, isLasting }) => {
      for (const { address } of devices) provider.addFault(address, fault, { isLasting })
    },
    failedCount: ({ devices }) => devices.filter(({ address }) => !provider.hasFault(address)).length,
    takenBy: ({ address }) => provider.taken.get(address) ?? 0,
    lastOf: ({ address }) => provider.last.get(address) ?? null,
    close: async () => provider.close(),
  }
}

function accessOf(provider: SecondProvider, certificate: string): SandboxAccess {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const fcm = provider.originOf('fcm')
  return {
    certificate,
    fcm: {
      origin: fcm,
      tokenUrl: `${fcm}/token`,
      credential: {
        projectId: 'second',
        clientEmail: 'second@example.com',
        privateKeyPem: rsa.export({ type: 'pkcs8', format: 'pem' }),
      },
    },
    apns: {
      origin: provider.originOf('apns'),
      credential: {
        keyPem: curve.export({ type: 'pkcs8', format: 'pem' }),
        keyId: 'ABCDEFGHIJ',
        teamId: 'KLMNOPQRST',
        bundleId: 'app.second',
        environment: 'production',
      },
    },
    web: { origin: provider.originOf('webpush') },
    controlUrl: '',
    controlToken: '',
  }
}
