// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Topic } from './common.ts'

import type { Success } from './envelope.ts'

export type PreferencesApi = {
  /** List opt-outs */
  readonly 'GET /api/v1/opt_outs': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Opted out at or after this instant, as ISO 8601. */
      readonly from?: string
      /** Only opt-outs of this topic; * for those of everything. */
      readonly topic?: string
    }
    readonly reply: Success & {
      readonly opt_outs: readonly {
        readonly at: string
        /** The name of the topic; * is everything. */
        readonly topic: string
        readonly user_id: string | null
        /** The device that opted out; null when the person did, on all devices. */
        readonly subscription_id: string | null
        readonly platform: 'android' | 'ios' | 'web' | null
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Read the preferences of a person */
  readonly 'GET /api/v1/user/preferences': {
    readonly query?: {
      /** The person. Required, unless the brand merges profiles and email or mobile is given. */
      readonly userID?: string
      /** Also identifies the person if the brand merges profiles. */
      readonly email?: string
      /** E.164. Also identifies the person if the brand merges profiles. */
      readonly mobile?: string
    }
    readonly reply: Success & {
      readonly preferences: {
        /** The topics that were opted out of; `*` is everything but transactional. */
        readonly opt_outs: readonly string[]
        readonly topics: readonly Topic[]
      }
    }
  }
  /** Change the preferences of a person */
  readonly 'PUT /api/v1/user/preferences': {
    readonly body: {
      readonly userID?: string
      readonly email?: string
      readonly mobile?: string
      /** The whole list of topics to be left out of; `*` is everything but transactional. An empty list takes all opt-outs back. */
      readonly opt_outs: readonly string[]
    }
    readonly reply: Success & {
      readonly preferences: {
        /** The topics that were opted out of; `*` is everything but transactional. */
        readonly opt_outs: readonly string[]
        readonly topics: readonly Topic[]
      }
    }
  }
  /** Read the preferences of a device */
  readonly 'GET /api/v1/subscriptions/{subscription_id}/preferences': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly reply: Success & {
      readonly preferences: {
        /** The topics that were opted out of; `*` is everything but transactional. */
        readonly opt_outs: readonly string[]
        readonly topics: readonly Topic[]
      }
    }
  }
  /** Change the preferences of a device */
  readonly 'PUT /api/v1/subscriptions/{subscription_id}/preferences': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly body: {
      /** The whole list of topics to be left out of; `*` is everything but transactional. An empty list takes all opt-outs back. */
      readonly opt_outs: readonly string[]
    }
    readonly reply: Success & {
      readonly preferences: {
        /** The topics that were opted out of; `*` is everything but transactional. */
        readonly opt_outs: readonly string[]
        readonly topics: readonly Topic[]
      }
    }
  }
  /** Make a link to the preferences of a person */
  readonly 'POST /api/v1/user/preferences/link': {
    readonly body: {
      readonly userID?: string
      readonly email?: string
      readonly mobile?: string
    }
    readonly reply: Success & {
      readonly link: {
        readonly url: string
        readonly expires_at: string
      }
    }
  }
}
