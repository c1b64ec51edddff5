import { APNS_ORIGINS, type ApnsOrigins } from '../providers/apns/client.ts'
import { FCM_URLS, type FcmUrls } from '../providers/fcm/client.ts'
import { hostOf } from '../runtime/address-guard.ts'

/** Where the providers are. */
export type ProviderUrls = { readonly fcm: FcmUrls; readonly apns: ApnsOrigins }

/** The settings that point a test or a proxy elsewhere; null leaves a provider where it is. */
export type ProviderSettings = {
  readonly fcmOrigin: string | null
  readonly fcmTokenUrl: string | null
  readonly apnsOrigin: string | null
  /** Web push services beside the known ones, as `host` or `host:port`. */
  readonly pushHosts: readonly string[]
}

export function providerUrls({ fcmOrigin, fcmTokenUrl, apnsOrigin }: ProviderSettings): ProviderUrls {
  return {
    fcm: { origin: fcmOrigin ?? FCM_URLS.origin, tokenUrl: fcmTokenUrl ?? FCM_URLS.tokenUrl },
    apns: apnsOrigin === null ? APNS_ORIGINS : { production: apnsOrigin, sandbox: apnsOrigin },
  }
}

/** What the operator names may be private, as `host:port`; whatever else comes from outside may not. */
export function allowedHosts({ fcmOrigin, fcmTokenUrl, apnsOrigin, pushHosts }: ProviderSettings) {
  const named = [fcmOrigin, fcmTokenUrl, apnsOrigin].filter((address) => address !== null)
  return [...named, ...pushHosts.map((name) => `https://${name}`)].map((address) => {
    const { host, port } = hostOf(address)
    return `${host}:${port}`
  })
}
