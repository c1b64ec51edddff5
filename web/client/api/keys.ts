// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Key = {
  readonly id: number
  readonly kind: 'secret' | 'publishable'
  /** The beginning of the key. */
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly label: string
  readonly created_at: string
  readonly revoked_at: string | null
}

export type Scope =
  | 'push'
  | 'events'
  | 'profiles'
  | 'subscriptions'
  | 'segments'
  | 'journeys'
  | 'approve'
  | 'brand'
  | 'draft'
  | 'consent'
  | 'keys'
  | 'members'
  | 'push:read'
  | 'events:read'
  | 'profiles:read'
  | 'subscriptions:read'
  | 'segments:read'
  | 'journeys:read'
  | 'brand:read'
  | 'schema:read'
  | 'audit:read'
  | 'track'
  | 'subscribe'

export type KeysApi = {
  /** List API keys */
  readonly 'GET /api/v1/brand/keys': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly keys: readonly Key[]
      readonly next_cursor: string | null
    }
  }
  /** Create an API key */
  readonly 'POST /api/v1/brand/keys': {
    readonly body: {
      /** A publishable key is for web pages: it is public, and can only track and subscribe. */
      readonly kind: 'secret' | 'publishable'
      /** The purpose of the key. */
      readonly label?: string
      /** The scopes of the key, at most those of the key that makes it; all of these if absent. */
      readonly scopes?: readonly Scope[]
    }
    readonly reply: Success & {
      readonly key: {
        readonly id: number
        readonly kind: 'secret' | 'publishable'
        /** The beginning of the key. */
        readonly hint: string
        readonly scopes: readonly Scope[]
        readonly label: string
        readonly created_at: string
        readonly revoked_at: string | null
        /** The key itself, shown once; null in a replay of the request. */
        readonly api_key: string | null
      }
    }
  }
  /** Revoke an API key */
  readonly 'POST /api/v1/brand/keys/{id}/revoke': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly key: Key
    }
  }
}
