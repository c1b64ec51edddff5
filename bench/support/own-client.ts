import { ApnsChannel } from '../../src/providers/apns/client.ts'
import type { ChannelDeps, PreparedMessage } from '../../src/providers/channel.ts'
import { FcmChannel } from '../../src/providers/fcm/client.ts'
import { TokenCache } from '../../src/providers/token-cache.ts'
import { WebPushChannel } from '../../src/providers/webpush/client.ts'
import { EncryptPool } from '../../src/providers/webpush/encrypt-pool.ts'
import type { Platform } from '../../src/rules/platforms.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { memoryTokens } from '../../test/providers/memory-tokens.ts'
import { CONTENT, poolFor, recipientOf } from '../../test/providers/support.ts'
import type { SeedDevice } from '../../test/support/subscriptions/subscriptions.ts'
import type { PeerClient, PeerJob } from './peer-job.ts'

/** As many as a channel of a worker has under way. */
const IN_FLIGHT = 1_000
const THREADS = 1

/**
 * Beckon's own clients without the rest of Beckon: nothing is read from a database, stored or counted. It is the limit of what
 * a message can cost with these clients.
 */
export async function openOwnClient(job: PeerJob): Promise<PeerClient> {
  const { access, devices } = job
  const origins = [access.fcm.origin, access.apns.origin, access.web.origin]
  const transport = poolFor(origins, access.certificate, {})
  const deps = { transport, tokens: new TokenCache(memoryTokens(), systemClock), clock: systemClock }
  const post = postOf(job, deps)
  return { send: async () => sendAll(devices, post) }
}

type Post = (device: SeedDevice, listener: Parameters<PreparedMessage<unknown>['post']>[1]) => void

function postOf({ platform, access, apnsKey, vapid }: PeerJob, deps: ChannelDeps): Post {
  const posts: Readonly<Record<Platform, () => Post>> = {
    android: () => {
      const message = new FcmChannel(deps, access.fcm.credential, access.fcm).prepare(CONTENT)
      return ({ address: token }, listener) => message.post(recipientOf({ token }), listener)
    },
    ios: () => {
      const at = { production: access.apns.origin, sandbox: access.apns.origin }
      const credential = { ...apnsKey, environment: 'production' } as const
      const message = new ApnsChannel(deps, credential, at).prepare(CONTENT)
      return ({ address: token }, listener) =>
        message.post(recipientOf({ token, environment: null }), listener)
    },
    web: () => {
      const credential = { subject: 'mailto:push@example.com', keys: [vapid] } as const
      const encryptor = new EncryptPool(THREADS)
      const message = new WebPushChannel({ ...deps, encryptor }, credential).prepare(CONTENT)
      return ({ address: endpoint, p256dh = '', auth = '' }, listener) =>
        message.post(recipientOf({ endpoint, p256dh, auth, family: null, vapidKey: null }), listener)
    },
  }
  return posts[platform]()
}

async function sendAll(devices: readonly SeedDevice[], post: Post): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let [next, answered, accepted] = [0, 0, 0]
  const sendNext = (): void => {
    const device = devices[next]
    next += 1
    if (device === undefined) return
    post(device, {
      onError: reject,
      onVerdict: ({ kind }) => {
        answered += 1
        accepted += kind === 'accepted' ? 1 : 0
        if (answered === devices.length) resolve(accepted)
        else sendNext()
      },
    })
  }
  for (let count = 0; count < IN_FLIGHT; count += 1) sendNext()
  return promise
}
