import type { Platform } from '../../rules/platforms.ts'

/** A subscription of a chunk, with everything that rendering and sending need. */
export type Recipient = {
  readonly id: bigint
  /** The profile; of a device without one, the id of the device made negative. */
  readonly person: bigint
  readonly subscriptionId: string
  readonly address: string
  readonly webP256dh: string | null
  readonly webAuth: string | null
  readonly vapidKeyId: string | null
  readonly environment: 'production' | 'sandbox' | null
  readonly language: string | null
  readonly timeZone: string | null
  readonly browser: string | null
  readonly appVersion: string | null
  readonly tags: readonly string[]
  /** Whether its messages go to the sandbox, whatever the brand's credentials. */
  readonly isVirtual: boolean
  readonly createdAt: number
  readonly registeredAt: number
  /** Why a listed subscription is not sent to: it unsubscribed, or another person uses the device now. */
  readonly absence: 'unsubscribed' | 'moved' | null
  /** The person's attributes, when the text mentions them; null also when the device has no person. */
  readonly user: Readonly<Record<string, unknown>> | null
  /** The person's `language` attribute, if it is a text and the notification has several languages. */
  readonly personLanguage: string | null
}

/** All columns of a recipient in the row `s` of subscriptions. */
export const RECIPIENT_COLUMNS = `s.id, coalesce(s.profile_id, -s.id) as person, s.subscription_id as "subscriptionId", s.address, s.web_p256dh as "webP256dh",
  s.web_auth as "webAuth", s.vapid_key_id as "vapidKeyId", s.environment, s.language, s.time_zone as "timeZone",
  s.browser, s.app_version as "appVersion", s.tags, s.is_virtual as "isVirtual", s.created_at as "createdAt",
  s.registered_at as "registeredAt"`

/** The facts of a broadcast that decide which columns of its recipients are read. */
export type RecipientUse = {
  readonly platform: Platform
  /** Whether a text may name anything of the device or the person. */
  readonly isPersonal: boolean
  /** Whether the person decides who gets the message, or which variant of it. */
  readonly isByPerson: boolean
}

/**
 * The columns that a broadcast reads. A column that nobody looks at costs PostgreSQL and the worker as much as any other,
 * a million times.
 */
export function columnsFor({ platform, isPersonal, isByPerson }: RecipientUse): string {
  return [
    's.id, s.address, s.language, s.time_zone as "timeZone", s.is_virtual as "isVirtual", s.registered_at as "registeredAt"',
    ...(isByPerson ? ['coalesce(s.profile_id, -s.id) as person'] : []),
    ...(isPersonal ? ['s.subscription_id as "subscriptionId", s.app_version as "appVersion", s.tags'] : []),
    ...(isPersonal || platform === 'web' ? ['s.browser'] : []),
    ...PLATFORM_COLUMNS[platform],
  ].join(', ')
}

const PLATFORM_COLUMNS: Readonly<Record<Platform, readonly string[]>> = {
  android: [],
  ios: ['s.environment'],
  web: [
    's.web_p256dh as "webP256dh", s.web_auth as "webAuth", s.vapid_key_id as "vapidKeyId", s.created_at as "createdAt"',
  ],
}

/** A row of `columnsFor`. */
export type RecipientRow = Pick<Recipient, 'id' | 'address' | 'language' | 'timeZone'> &
  Pick<Recipient, 'isVirtual' | 'registeredAt'> &
  Partial<Recipient>

/** A live recipient of a broadcast. The fields that nobody looks at are empty. */
export function recipientOf(row: RecipientRow): Recipient {
  const { id, registeredAt } = row
  return {
    id,
    person: row.person ?? -id,
    subscriptionId: row.subscriptionId ?? '',
    address: row.address,
    webP256dh: row.webP256dh ?? null,
    webAuth: row.webAuth ?? null,
    vapidKeyId: row.vapidKeyId ?? null,
    environment: row.environment ?? null,
    language: row.language,
    timeZone: row.timeZone,
    browser: row.browser ?? null,
    appVersion: row.appVersion ?? null,
    tags: row.tags ?? NO_TAGS,
    isVirtual: row.isVirtual,
    createdAt: row.createdAt ?? registeredAt,
    registeredAt,
    absence: null,
    user: row.user ?? null,
    personLanguage: row.personLanguage ?? null,
  }
}

const NO_TAGS: readonly string[] = []
