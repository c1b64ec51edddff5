import { PLATFORM_NAMES, type Platform } from '../../../src/rules/platforms.ts'
import type { CampaignContent } from '../../client/api/documents.ts'

/** The fields that a platform can have of its own beside the words, in the order of the page. */
export const OWN_FIELDS = {
  ios: ['url', 'image_url', 'sound', 'badge', 'interruption_level'],
  android: ['url', 'image_url', 'sound', 'android_channel'],
  web: [
    'url',
    'image_url',
    'button_one_title',
    'button_one_url',
    'button_two_title',
    'button_two_url',
    'hero_image_url',
  ],
} as const satisfies Record<Platform, readonly (keyof CampaignContent)[]>

export type OwnField = (typeof OWN_FIELDS)[Platform][number]

/** The content of one platform in place of the content for all, by field. An empty text is none. */
export type Own = Readonly<Partial<Record<OwnField | 'title' | 'message', string>>>

export type Owns = Readonly<Record<Platform, Own>>

export const NO_OWNS: Owns = { android: {}, ios: {}, web: {} }

type StoredOwns = Readonly<Partial<Record<Platform, CampaignContent>>>

export function readOwns(stored: StoredOwns): Owns {
  return { android: read('android', stored), ios: read('ios', stored), web: read('web', stored) }
}

function read(platform: Platform, stored: StoredOwns): Own {
  const content = stored[platform] ?? {}
  return Object.fromEntries(
    fieldsOf(platform).flatMap((field) => {
      const value = content[field]
      // A stored null takes a field away from the platform, which the page leaves as it is.
      return typeof value === 'string' || typeof value === 'number' ? [[field, String(value)]] : []
    }),
  )
}

/** The overrides as a call writes them: null takes those of a platform away. Fields that the page does not know stay. */
export function writeOwns(owns: Owns, stored: StoredOwns): Readonly<Record<Platform, object | null>> {
  return {
    android: write('android', owns, stored),
    ios: write('ios', owns, stored),
    web: write('web', owns, stored),
  }
}

function write(platform: Platform, owns: Owns, stored: StoredOwns): object | null {
  const known: readonly string[] = fieldsOf(platform)
  const before: Readonly<Record<string, unknown>> = { ...stored[platform] }
  const kept = Object.entries(before).filter(([name, value]) => !known.includes(name) || value === null)
  const given = Object.entries(owns[platform]).filter(([, value]) => value !== '')
  const content = Object.fromEntries([
    ...kept,
    ...given.map(([name, value]) => [name, name === 'badge' ? Number(value) : value]),
  ])
  return Object.keys(content).length === 0 ? null : content
}

function fieldsOf(platform: Platform): readonly (OwnField | 'title' | 'message')[] {
  return ['title', 'message', ...OWN_FIELDS[platform]]
}

export function isOwn(own: Own): boolean {
  return Object.values(own).some((value) => value !== '')
}

/** The platform of that name; null for all of them together. */
export function platformOf(name: string): Platform | null {
  return PLATFORM_NAMES.find((platform) => platform === name) ?? null
}
