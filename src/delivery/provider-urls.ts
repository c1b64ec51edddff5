import { APNS_ORIGINS, type ApnsOrigins } from '../providers/apns/client.ts'
import { FCM_URLS, type FcmUrls } from '../providers/fcm/client.ts'
import { hostOf } from '../runtime/address-guard.ts'
import type { HttpsProxy } from '../runtime/outgoing-setting.ts'

/** The addresses of the providers. */
export type ProviderUrls = { readonly fcm: FcmUrls; readonly apns: ApnsOrigins }

/** The settings that replace addresses of providers, for a test or a proxy; null keeps the real address. */
export type ProviderSettings = {
  readonly fcmOrigin: string | null
  readonly fcmTokenUrl: string | null
  readonly apnsOrigin: string | null
  /** For devices of the sandbox environment of Apple. */
  readonly apnsSandboxOrigin: string | null
  /** Push hosts for the web beside the known ones, as `host` or `host:port`. */
  readonly pushHosts: readonly string[]
  /** Certificates (PEM) that are trusted beside those that Node trusts. */
  readonly providerCa: readonly string[]
  readonly httpsProxy: HttpsProxy | null
}

export function providerUrls(settings: ProviderSettings): ProviderUrls {
  const { fcmOrigin, fcmTokenUrl, apnsOrigin, apnsSandboxOrigin } = settings
  return {
    fcm: { origin: fcmOrigin ?? FCM_URLS.origin, tokenUrl: fcmTokenUrl ?? FCM_URLS.tokenUrl },
    apns: {
      production: apnsOrigin ?? APNS_ORIGINS.production,
      sandbox: apnsSandboxOrigin ?? APNS_ORIGINS.sandbox,
    },
  }
}

/** The hosts that the operator names, as `host:port`. Only these may have private addresses. */
export function allowedHosts(settings: ProviderSettings): readonly string[] {
  const { fcmOrigin, fcmTokenUrl, apnsOrigin, apnsSandboxOrigin, pushHosts } = settings
  const named = [fcmOrigin, fcmTokenUrl, apnsOrigin, apnsSandboxOrigin].filter((address) => address !== null)
  return [...named, ...pushHosts.map((name) => `https://${name}`)].map(pairOf)
}

/** The hosts that a proxy may resolve by itself, as `host:port`: no caller has named them. */
export function namedHosts(settings: ProviderSettings): readonly string[] {
  const { fcm, apns } = providerUrls(settings)
  const ours = [fcm.origin, fcm.tokenUrl, apns.production, apns.sandbox].map(pairOf)
  return [...ours, ...allowedHosts(settings)]
}

function pairOf(address: string): string {
  const { host, port } = hostOf(address)
  return `${host}:${port}`
}
