// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Brand, QuietHours, Role } from './common.ts'

import type { Success } from './envelope.ts'

export type BrandsApi = {
  /** List the brands */
  readonly 'GET /api/v1/brands': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly brands: readonly {
        /** The value of x-brand-id. */
        readonly brand_id: string
        readonly name: string
        /** `deleting`: the brand is stopped, and an administrator can restore it. */
        readonly state: 'live' | 'deleting'
        readonly restorable_until: string | null
        /** Your role in the brand; null when you are an administrator without one. */
        readonly role: Role | null
        readonly time_zone: string
        readonly members: number
        /** Devices, as counted some seconds ago. */
        readonly live_subscriptions: number
        readonly created_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Create a brand */
  readonly 'POST /api/v1/brands': {
    readonly body: {
      /** The id that callers will send as x-brand-id: letters, digits, dot, dash, underscore. It stays. */
      readonly brand_id: string
      /** The name of the brand. */
      readonly name?: string
      /** An IANA name such as Europe/Berlin, or an offset such as +05:30. Times without a zone are in this zone. */
      readonly time_zone?: string
    }
    readonly reply: Success & {
      readonly brand: {
        /** The value of x-brand-id. */
        readonly brand_id: string
        readonly name: string
        /** `deleting`: the brand is stopped, and an administrator can restore it. */
        readonly state: 'live' | 'deleting'
        readonly restorable_until: string | null
        /** Your role in the brand; null when you are an administrator without one. */
        readonly role: Role | null
        readonly time_zone: string
        readonly members: number
        /** Devices, as counted some seconds ago. */
        readonly live_subscriptions: number
        readonly created_at: string
      }
    }
  }
  /** Change the settings of any brand */
  readonly 'PATCH /api/v1/brands/{brand_id}': {
    readonly path: {
      readonly brand_id: string
    }
    readonly body: {
      /** The name of the brand. */
      readonly name?: string
      /** An IANA name such as Europe/Berlin, or an offset such as +05:30. Times without a zone are in this zone. */
      readonly time_zone?: string
      /** Whether email and mobile identify a profile, like userID. */
      readonly profile_merging?: boolean
      /** The sites that may use a publishable key, such as https://example.com. */
      readonly allowed_origins?: readonly string[]
      /** Whether a page must prove its userID with user_hash; see identity-key. On for a new brand. Switching it on detaches browsers that claimed a userID without proof. Off, anybody with the publishable key can claim any userID and get the notifications of that person. */
      readonly identity_verification?: boolean
      /** The most notifications for a person in a day of their own zone, over journeys, broadcasts and sends with a topic; null for no limit. */
      readonly frequency_cap?: number | null
      /** The sound of notifications on Android and iOS that name none: a file of the app, or default; null for no sound. */
      readonly default_sound?: string | null
      /** The language of messages to people and devices whose own language is not known or not offered, such as pt-BR; null when none is preferred. */
      readonly language?: string | null
      /** The percentage of people, always the same ones, who get no campaigns, so that the effect of campaigns can be measured; 0 for none. */
      readonly control_percent?: number
      /** The hours on each person’s own clock, such as 22:00 to 08:00, in which campaigns, journeys and messages with a topic are not sent; null for none. transactional passes. */
      readonly quiet_hours?: QuietHours | null
      /** A campaign to more people than this needs the consent of a second key, with the scope approve; null for none. Changing it needs that scope. */
      readonly approval_above?: number | null
    }
    readonly reply: Success & {
      readonly brand: Brand
      /** After identity_verification was switched on: the browsers that had claimed a userID without proof. */
      readonly detached_browsers?: number
    }
  }
  /** Delete a brand */
  readonly 'DELETE /api/v1/brands/{brand_id}': {
    readonly path: {
      readonly brand_id: string
    }
    readonly reply: Success & {
      readonly brand: {
        /** The value of x-brand-id. */
        readonly brand_id: string
        readonly name: string
        /** `deleting`: the brand is stopped, and an administrator can restore it. */
        readonly state: 'live' | 'deleting'
        readonly restorable_until: string | null
        /** Your role in the brand; null when you are an administrator without one. */
        readonly role: Role | null
        readonly time_zone: string
        readonly members: number
        /** Devices, as counted some seconds ago. */
        readonly live_subscriptions: number
        readonly created_at: string
      }
    }
  }
  /** Restore a brand that is being deleted */
  readonly 'POST /api/v1/brands/{brand_id}/restore': {
    readonly path: {
      readonly brand_id: string
    }
    readonly reply: Success & {
      readonly brand: {
        /** The value of x-brand-id. */
        readonly brand_id: string
        readonly name: string
        /** `deleting`: the brand is stopped, and an administrator can restore it. */
        readonly state: 'live' | 'deleting'
        readonly restorable_until: string | null
        /** Your role in the brand; null when you are an administrator without one. */
        readonly role: Role | null
        readonly time_zone: string
        readonly members: number
        /** Devices, as counted some seconds ago. */
        readonly live_subscriptions: number
        readonly created_at: string
      }
    }
  }
}
