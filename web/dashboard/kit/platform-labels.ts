import type { Platform } from '../../../src/rules/platforms.ts'

/** The platforms as people call them, in every language. */
export const PLATFORM_LABELS: Readonly<Record<Platform, string>> = {
  android: 'Android',
  ios: 'iPhone',
  web: 'Web',
}
