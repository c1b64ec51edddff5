// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Subscription } from './common.ts'

import type { Success } from './envelope.ts'

export type SubscriptionsApi = {
  /** Import subscriptions */
  readonly 'POST /api/v1/subscriptions/import': {
    readonly query?: {
      /** The platform of rows without a platform. */
      readonly platform?: 'android' | 'ios' | 'web'
    }
    readonly bodyType: 'text/csv' | 'application/x-ndjson'
    readonly body: string | Uint8Array | ReadableStream<Uint8Array>
    readonly reply: Response
  }
  /** Register a device or browser */
  readonly 'POST /api/v1/subscriptions': {
    readonly body:
      | {
          readonly platform: 'android'
          /** The token that FCM or APNs gave the app. */
          readonly token: string
          /** An id of your own, for devices that come from another system; generated when absent. */
          readonly subscription_id?: string
          /** The user who is logged in on the device. */
          readonly user_id?: string
          /** The id of the Android device. */
          readonly android_id?: string
          /** Tags of the subscription. */
          readonly tags?: readonly string[]
          /** The zone of the clock on the device. */
          readonly time_zone?: string | number
          /** The language of the device. */
          readonly language?: string
          /** The browser, such as chrome or firefox; known from the push service when absent. */
          readonly browser?: string
          /** The version of the app or site. */
          readonly app_version?: string
        }
      | {
          readonly platform: 'ios'
          /** The token that FCM or APNs gave the app. */
          readonly token: string
          /** The APNs environment of the token; production when absent. */
          readonly environment?: 'production' | 'sandbox'
          /** An id of your own, for devices that come from another system; generated when absent. */
          readonly subscription_id?: string
          /** The user who is logged in on the device. */
          readonly user_id?: string
          /** The identifier for vendors of the iOS device. */
          readonly ios_ifv?: string
          /** Tags of the subscription. */
          readonly tags?: readonly string[]
          /** The zone of the clock on the device. */
          readonly time_zone?: string | number
          /** The language of the device. */
          readonly language?: string
          /** The browser, such as chrome or firefox; known from the push service when absent. */
          readonly browser?: string
          /** The version of the app or site. */
          readonly app_version?: string
        }
      | {
          readonly platform: 'web'
          readonly subscription: {
            /** The URL to which messages for this browser are sent. */
            readonly endpoint: string
            readonly keys: {
              /** The public key of the browser, as base64url. */
              readonly p256dh: string
              /** The secret of the browser, as base64url. */
              readonly auth: string
            }
          }
          /** An id of your own, for devices that come from another system; generated when absent. */
          readonly subscription_id?: string
          /** The user who is logged in on the device. */
          readonly user_id?: string
          /** Tags of the subscription. */
          readonly tags?: readonly string[]
          /** The zone of the clock on the device. */
          readonly time_zone?: string | number
          /** The language of the device. */
          readonly language?: string
          /** The browser, such as chrome or firefox; known from the push service when absent. */
          readonly browser?: string
          /** The version of the app or site. */
          readonly app_version?: string
        }
    readonly reply: Success & {
      readonly subscription: Subscription
    }
  }
  /** List subscriptions */
  readonly 'GET /api/v1/subscriptions': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Only subscriptions of this platform. */
      readonly platform?: 'android' | 'ios' | 'web'
      /** Only subscriptions of this person. */
      readonly user_id?: string
      /** Only subscriptions that carry this tag themselves. */
      readonly tag?: string
      /** Only subscriptions in this state. */
      readonly state?: 'live' | 'unsubscribed' | 'gone'
    }
    readonly reply: Success & {
      readonly subscriptions: readonly Subscription[]
      readonly next_cursor: string | null
    }
  }
  /** Read a subscription */
  readonly 'GET /api/v1/subscriptions/{subscription_id}': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly reply: Success & {
      readonly subscription: Subscription
    }
  }
  /** Change a subscription */
  readonly 'PATCH /api/v1/subscriptions/{subscription_id}': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly body: {
      readonly user_id?: string | null
      readonly time_zone?: (string | number) | null
      readonly language?: string | null
      readonly browser?: string | null
      readonly app_version?: string | null
      /** A list replaces all tags; an object sets them, or adds and removes some. */
      readonly tags?:
        | readonly string[]
        | {
            /** Replaces all tags. */
            readonly set?: readonly string[]
            /** Tags to add. */
            readonly add?: readonly string[]
            /** Tags to take away. */
            readonly remove?: readonly string[]
          }
    }
    readonly reply: Success & {
      readonly subscription: Subscription
    }
  }
  /** Unsubscribe a device */
  readonly 'POST /api/v1/subscriptions/{subscription_id}/unsubscribe': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly reply: Success & {
      readonly subscription: Subscription
    }
  }
}
