import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { SandboxAccess } from '../../../src/delivery/sandbox/file.ts'
import type { Platform } from '../../../src/rules/platforms.ts'
import { makeP256Pair } from '../../../src/runtime/secrets/key-pair.ts'
import { makeCertificate } from '../../../src/sandbox/certificate.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import type { SeedDevice } from '../subscriptions/subscriptions.ts'
import { sandboxAccess } from './engine.ts'
import { type SecondFault, SecondProvider } from './second-provider.ts'

/** Providers that can be told to fail: the sandbox through its dial, or the second provider. */
export type FarEnd = {
  readonly access: SandboxAccess
  readonly newDevice: (platform: Platform, vapidKey: string) => SeedDevice
  /** The first message of a brand to each of these devices fails. */
  readonly addTrouble: (trouble: Trouble) => void
  /** How many messages of the brand have failed. */
  readonly failedCount: (trouble: Trouble) => number
  /** How many messages a device has got. */
  readonly takenBy: (device: SeedDevice) => number
  readonly close: () => Promise<void>
}

export type Trouble = {
  readonly brandId: number
  readonly platform: Platform
  readonly devices: readonly SeedDevice[]
  readonly fault: SecondFault
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
    addTrouble: ({ brandId, platform, devices, fault }) => {
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
          times: 1,
          seconds: 3600,
        })
        if (rule === null) throw new Error('too many rules')
      }
    },
    failedCount: ({ brandId }) => dial.list(brandId).reduce((sum, { count }) => sum + count, 0),
    takenBy: ({ address }) => inbox.newest().filter((arrival) => arrival.address === address).length,
    close: sandbox.close,
  }
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
    addTrouble: ({ devices, fault }) => {
      for (const { address } of devices) provider.addFault(address, fault)
    },
    failedCount: ({ devices }) => devices.filter(({ address }) => !provider.hasFault(address)).length,
    takenBy: ({ address }) => provider.taken.get(address) ?? 0,
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
