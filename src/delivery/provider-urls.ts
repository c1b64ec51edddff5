import { APNS_ORIGINS, type ApnsOrigins } from '../providers/apns/client.ts'
import { FCM_URLS, type FcmUrls } from '../providers/fcm/client.ts'
import { hostOf } from '../runtime/address-guard.ts'

/** The addresses of the providers. */
export type ProviderUrls = { readonly fcm: FcmUrls; readonly apns: ApnsOrigins }

/** The settings that replace addresses of providers, for a test or a proxy; null keeps the real address. */
export type ProviderSettings = {
  readonly fcmOrigin: string | null
  readonly fcmTokenUrl: string | null
  readonly apnsOrigin: string | null
  /** Push hosts for the web beside the known ones, as `host` or `host:port`. */
  readonly pushHosts: readonly string[]
}

export function providerUrls({ fcmOrigin, fcmTokenUrl, apnsOrigin }: ProviderSettings): ProviderUrls {
  return {
    fcm: { origin: fcmOrigin ?? FCM_URLS.origin, tokenUrl: fcmTokenUrl ?? FCM_URLS.tokenUrl },
    apns: apnsOrigin === null ? APNS_ORIGINS : { production: apnsOrigin, sandbox: apnsOrigin },
  }
}

/** The hosts that the operator names, as `host:port`. Only these may have private addresses. */
export function allowedHosts({ fcmOrigin, fcmTokenUrl, apnsOrigin, pushHosts }: ProviderSettings) {
  const named = [fcmOrigin, fcmTokenUrl, apnsOrigin].filter((address) => address !== null)
  return [...named, ...pushHosts.map((name) => `https://${name}`)].map((address) => {
    const { host, port } = hostOf(address)
    return `${host}:${port}`
  })
}
