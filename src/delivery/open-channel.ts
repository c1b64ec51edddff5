import {
  type AndroidCredential,
  type IosCredential,
  readAndroidCredential,
  readIosCredential,
  readWebCredential,
  vapidKeyAt,
  type WebCredential,
} from '../domain/push/credential.ts'
import { browserFamily } from '../domain/push/push-endpoint.ts'
import { unreachable } from '../domain/unreachable.ts'
import { ApnsChannel, type ApnsOrigins } from '../providers/apns/client.ts'
import type { Channel, ChannelDeps } from '../providers/channel.ts'
import { FcmChannel, type FcmUrls } from '../providers/fcm/client.ts'
import { ownConnections } from '../providers/own-connections.ts'
import { WebPushChannel, type WebPushDeps } from '../providers/webpush/client.ts'
import type { Encryptor } from '../providers/webpush/encrypt-pool.ts'
import type { Sealer } from '../runtime/secrets/sealed.ts'
import type { Db } from '../store/db.ts'
import { type ChannelRef, channelSecret } from '../store/push/channels.ts'
import type { Recipient } from '../store/push/recipient.ts'
import { loadSealedSecret } from '../store/secrets.ts'
import type { CredentialSender } from './channel-sender.ts'
import type { OpenChannel } from './channels.ts'
import type { ProviderNet } from './provider-net.ts'
import type { ProviderUrls } from './provider-urls.ts'
import type { FindSandbox, SandboxAccess } from './sandbox/file.ts'
import { withVirtualDevices } from './virtual-devices.ts'

type OpenerDeps = {
  readonly db: Db
  readonly sealer: Sealer
  readonly net: ProviderNet
  readonly urls: ProviderUrls
  readonly findSandbox: FindSandbox
}

/**
 * Opens a brand's channel with its own credential, or with the sandbox's when it has none. Virtual devices are always
 * sent to through the sandbox.
 */
export function channelOpener(deps: OpenerDeps): OpenChannel {
  const { db, sealer, net, findSandbox } = deps
  return async (ref, version) => {
    const sandbox = await findSandbox()
    if (sandbox !== null) trustSandbox(net, sandbox)
    const secret = version === 0 ? null : await loadSealedSecret(db, sealer, channelSecret(ref))
    const simulated = sandbox === null ? null : openSandbox(deps, ref, { sandbox, secret })
    const own = secret === null ? simulated : openOwn(deps, ref, { secret, version })
    return own === null ? null : withVirtualDevices(own, simulated)
  }
}

function trustSandbox(net: ProviderNet, { fcm, apns, web, certificate }: SandboxAccess): void {
  for (const { origin } of [fcm, apns, web]) net.trust(origin, certificate)
}

type Own = { readonly secret: string; readonly version: number }

function openOwn({ net, urls }: OpenerDeps, ref: ChannelRef, { secret, version }: Own): CredentialSender {
  const credential = `${ref.brandId} ${ref.platform} ${version}`
  const deps = channelDeps(net, credential)
  switch (ref.platform) {
    case 'android':
      return androidSender(deps, readAndroidCredential(secret), { credential, urls: urls.fcm })
    case 'ios':
      return iosSender(deps, readIosCredential(secret), { credential, origins: urls.apns })
    case 'web':
      return webSender(deps, readWebCredential(secret), credential)
    default:
      return unreachable(ref.platform)
  }
}

type Simulated = { readonly sandbox: SandboxAccess; readonly secret: string | null }

/** The sandbox has no credential for the web: a web subscription is bound to the VAPID key of its own brand. */
function openSandbox(
  { net }: OpenerDeps,
  ref: ChannelRef,
  { sandbox: { fcm, apns, web }, secret }: Simulated,
): CredentialSender | null {
  const credential = `${ref.brandId} ${ref.platform} sandbox`
  const deps = channelDeps(net, credential)
  switch (ref.platform) {
    case 'android':
      return androidSender(deps, fcm.credential, { credential, urls: fcm })
    case 'ios': {
      const origins = { production: apns.origin, sandbox: apns.origin }
      return iosSender(deps, apns.credential, { credential, origins })
    }
    case 'web': {
      if (secret === null) return null
      const own = readWebCredential(secret)
      return inSandbox(webSender(deps, own, credential), { ...web, vapidKeyId: own.keys[0].publicKey })
    }
    default:
      return unreachable(ref.platform)
  }
}

/**
 * The sandbox has another port after each start, and knows its browsers by the rest of their addresses. A virtual browser
 * is bound to no key, so that a new key of the brand reaches it too.
 */
function inSandbox(
  sender: CredentialSender,
  { origin, vapidKeyId }: { readonly origin: string; readonly vapidKeyId: string },
): CredentialSender {
  return {
    ...sender,
    hostOf: () => origin,
    prepare: (content) => {
      const send = sender.prepare(content)
      return (recipient, ids, listener) => {
        const address = `${origin}${new URL(recipient.address).pathname}`
        send({ ...recipient, address, vapidKeyId }, ids, listener)
      }
    },
  }
}

/** The channels of a process share its tokens and its clock, and no connection; they take turns at its threads. */
function channelDeps(net: ProviderNet, credential: string): WebPushDeps {
  const { tokens, clock } = net
  const encryptor: Encryptor = {
    encrypt: (job, onEncrypted) => net.encryptor.encrypt(job, onEncrypted, credential),
  }
  return { transport: ownConnections(net.transport, credential), tokens, clock, encryptor }
}

type AndroidAt = { readonly credential: string; readonly urls: FcmUrls }

function androidSender(
  deps: ChannelDeps,
  own: AndroidCredential,
  { credential, urls }: AndroidAt,
): CredentialSender {
  return senderOf(new FcmChannel(deps, own, urls), {
    credential,
    mainHost: urls.origin,
    hasManyHosts: false,
    hostOf: () => urls.origin,
    addressOf: ({ address }) => ({ token: address }),
  })
}

type IosAt = { readonly credential: string; readonly origins: ApnsOrigins }

function iosSender(deps: ChannelDeps, own: IosCredential, { credential, origins }: IosAt): CredentialSender {
  return senderOf(new ApnsChannel(deps, own, origins), {
    credential,
    mainHost: origins[own.environment],
    hasManyHosts: false,
    hostOf: ({ environment }) => origins[environment ?? own.environment],
    addressOf: ({ address, environment }) => ({ token: address, environment }),
  })
}

function webSender(deps: WebPushDeps, own: WebCredential, credential: string): CredentialSender {
  return senderOf(new WebPushChannel(deps, own), {
    credential,
    mainHost: null,
    hasManyHosts: true,
    // Registration has checked that the address is a complete URL.
    hostOf: ({ address }) => address.slice(0, address.indexOf('/', 'https://'.length)),
    addressOf: ({ address, webP256dh, webAuth, browser, vapidKeyId, createdAt }) => ({
      endpoint: address,
      p256dh: webP256dh ?? '',
      auth: webAuth ?? '',
      family: browserFamily(browser, address),
      vapidKey: vapidKeyId ?? vapidKeyAt(own, createdAt).publicKey,
    }),
  })
}

type SenderFacts<Address> = {
  readonly credential: string
  readonly mainHost: string | null
  readonly hasManyHosts: boolean
  readonly hostOf: (recipient: Recipient) => string
  readonly addressOf: (recipient: Recipient) => Address
}

function senderOf<Address>(channel: Channel<Address>, facts: SenderFacts<Address>): CredentialSender {
  const { addressOf, ...known } = facts
  return {
    ...known,
    prepare: (content) => {
      const prepared = channel.prepare(content)
      return (recipient, ids, listener) => {
        const { deliveryId, collapseId, receipt } = ids
        prepared.post({ address: addressOf(recipient), deliveryId, collapseId, receipt }, listener)
      }
    },
  }
}
