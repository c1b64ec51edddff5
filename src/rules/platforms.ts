// Platforms

/**
 * The three platforms of the contract and what sets them apart (spec §2.1, §8; decisions §3).
 * `null` as a limit means that the platform sets none; the payload's bytes still bound it.
 */
export const PLATFORMS = {
  android: {
    titleCharsMax: 70,
    messageCharsMax: 130,
    deviceField: 'android_id',
    payloadBytesMax: 4096,
    allowsAppScheme: true,
  },
  ios: {
    titleCharsMax: 70,
    messageCharsMax: 130,
    deviceField: 'ios_ifv',
    payloadBytesMax: 4096,
    allowsAppScheme: true,
  },
  web: {
    titleCharsMax: null,
    messageCharsMax: null,
    deviceField: null,
    /** Plaintext: 4096 bytes of body less the 103 that aes128gcm adds. */
    payloadBytesMax: 3993,
    allowsAppScheme: false,
  },
} as const satisfies Record<string, PlatformRules>

export type Platform = keyof typeof PLATFORMS

type PlatformRules = {
  readonly titleCharsMax: number | null
  readonly messageCharsMax: number | null
  /** The field that names one device of this platform, next to `user_id` and `subscription_id`. */
  readonly deviceField: string | null
  readonly payloadBytesMax: number
  /** Whether a link may open the app itself, by a scheme of its own. */
  readonly allowsAppScheme: boolean
}

export const PLATFORM_NAMES = ['android', 'ios', 'web'] as const satisfies readonly Platform[]

// Message priority

/** Whether a provider wakes a sleeping device for a message: `high` does. */
export const PRIORITIES = ['high', 'normal'] as const
export type Priority = (typeof PRIORITIES)[number]

/** How much a notification of iOS may disturb, in Apple's words. */
export const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'] as const
export type InterruptionLevel = (typeof INTERRUPTION_LEVELS)[number]

// Browsers and their push services

/**
 * The push services of browsers. A web subscription may point only at one of these hosts, or at a host that the
 * settings add: an endpoint comes from outside, and must not send our requests to any other server.
 * A host that begins with a dot stands for the names one label below it: some services have a host per region.
 * `family` is the family of the browsers that use the service; only Chromium shows hero images and buttons
 * (decisions §3).
 */
export const PUSH_SERVICES = [
  { host: 'fcm.googleapis.com', family: 'chromium' },
  { host: 'jmt17.google.com', family: 'chromium' },
  { host: '.notify.windows.com', family: 'chromium' },
  { host: 'updates.push.services.mozilla.com', family: 'firefox' },
  { host: '.push.services.mozilla.com', family: 'firefox' },
  { host: 'web.push.apple.com', family: 'safari' },
  { host: '.push.apple.com', family: 'safari' },
] as const satisfies readonly { readonly host: string; readonly family: string }[]

export type BrowserFamily = (typeof PUSH_SERVICES)[number]['family']

/** The family of each name that a caller may give in `browser`. Without a known name, the push service decides. */
export const BROWSERS = {
  chrome: 'chromium',
  chromium: 'chromium',
  edge: 'chromium',
  opera: 'chromium',
  brave: 'chromium',
  vivaldi: 'chromium',
  samsung: 'chromium',
  yandex: 'chromium',
  firefox: 'firefox',
  safari: 'safari',
} as const satisfies Record<string, BrowserFamily>
