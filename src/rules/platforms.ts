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

export const PRIORITIES = ['high', 'normal'] as const
export type Priority = (typeof PRIORITIES)[number]
