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
import { FcmChannel, type FcmPlaces } from '../providers/fcm/client.ts'
import { WebPushChannel, type WebPushDeps } from '../providers/webpush/client.ts'
import type { Sealer } from '../runtime/secrets/sealed.ts'
import type { Db } from '../store/db.ts'
import { type ChannelRef, channelSecret } from '../store/push/channels.ts'
import type { Recipient } from '../store/push/recipients.ts'
import { loadSecret } from '../store/secrets.ts'
import type { NewWay, OpenChannel } from './channels.ts'
import type { ProviderNet } from './provider-net.ts'
import type { ProviderPlaces } from './provider-places.ts'
import type { FindSandbox, SandboxPlaces } from './sandbox/places.ts'

export type Opening = {
  readonly db: Db
  readonly sealer: Sealer
  readonly net: ProviderNet
  readonly places: ProviderPlaces
  readonly findSandbox: FindSandbox
}

/** Opens a brand's channel with its own credential, or with the sandbox's when it has none. */
export function channelOpener(opening: Opening): OpenChannel {
  const { db, sealer, net, findSandbox } = opening
  return async (ref, version) => {
    const sandbox = await findSandbox()
    if (sandbox !== null) trustSandbox(net, sandbox)
    const secret = version === 0 ? null : await loadSecret(db, sealer, channelSecret(ref))
    if (secret !== null) return openOwn(opening, ref, { secret, version })
    return sandbox === null ? null : openSandbox(opening, ref, sandbox)
  }
}

function trustSandbox(net: ProviderNet, { fcm, apns, web, certificate }: SandboxPlaces): void {
  for (const { origin } of [fcm, apns, web]) net.trust(origin, certificate)
}

type Own = { readonly secret: string; readonly version: number }

function openOwn({ net, places }: Opening, ref: ChannelRef, { secret, version }: Own): NewWay {
  const credential = `${ref.brandId} ${ref.platform} ${version}`
  switch (ref.platform) {
    case 'android':
      return androidWay(net, readAndroidCredential(secret), { credential, places: places.fcm })
    case 'ios':
      return iosWay(net, readIosCredential(secret), { credential, origins: places.apns })
    case 'web':
      return webWay(net, readWebCredential(secret), credential)
    default:
      return unreachable(ref.platform)
  }
}

/** A web subscription is bound to a key of its brand, so there the sandbox has none to lend. */
function openSandbox({ net }: Opening, ref: ChannelRef, { fcm, apns }: SandboxPlaces): NewWay | null {
  const credential = `${ref.brandId} ${ref.platform} sandbox`
  switch (ref.platform) {
    case 'android':
      return androidWay(net, fcm.credential, { credential, places: fcm })
    case 'ios': {
      const origins = { production: apns.origin, sandbox: apns.origin }
      return iosWay(net, apns.credential, { credential, origins })
    }
    case 'web':
      return null
    default:
      return unreachable(ref.platform)
  }
}

type AndroidAt = { readonly credential: string; readonly places: FcmPlaces }

function androidWay(deps: ChannelDeps, own: AndroidCredential, { credential, places }: AndroidAt): NewWay {
  return wayOf(new FcmChannel(deps, own, places), {
    credential,
    isOfManyHosts: false,
    hostOf: () => places.origin,
    addressOf: ({ address }) => ({ token: address }),
  })
}

type IosAt = { readonly credential: string; readonly origins: ApnsOrigins }

function iosWay(deps: ChannelDeps, own: IosCredential, { credential, origins }: IosAt): NewWay {
  return wayOf(new ApnsChannel(deps, own, origins), {
    credential,
    isOfManyHosts: false,
    hostOf: ({ environment }) => origins[environment ?? own.environment],
    addressOf: ({ address, environment }) => ({ token: address, environment }),
  })
}

function webWay(deps: WebPushDeps, own: WebCredential, credential: string): NewWay {
  return wayOf(new WebPushChannel(deps, own), {
    credential,
    isOfManyHosts: true,
    // The address was found to be a whole one when it was registered.
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

type WayFacts<Address> = {
  readonly credential: string
  readonly isOfManyHosts: boolean
  readonly hostOf: (recipient: Recipient) => string
  readonly addressOf: (recipient: Recipient) => Address
}

function wayOf<Address>(channel: Channel<Address>, facts: WayFacts<Address>): NewWay {
  const { addressOf, ...known } = facts
  return {
    ...known,
    prepare: (content) => {
      const prepared = channel.prepare(content)
      return async (recipient, ids) => prepared.send({ ...ids, address: addressOf(recipient) })
    },
  }
}
