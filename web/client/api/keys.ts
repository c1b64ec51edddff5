// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Key = {
  readonly id: number
  readonly kind: 'secret' | 'publishable'
  /** How the key begins. */
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
  | 'brand'
  | 'track'
  | 'subscribe'

export type KeysApi = {
  /** Lists the brand’s API keys */
  readonly 'GET /api/v1/brand/keys': {
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly keys: readonly Key[]
      readonly next_cursor: string | null
    }
  }
  /** Makes an API key */
  readonly 'POST /api/v1/brand/keys': {
    readonly body: {
      /** A publishable key may be seen by anybody, and can do little. */
      readonly kind: 'secret' | 'publishable'
      /** What the key is for. */
      readonly label?: string
      /** What the key may do; all that its kind allows, if not given. */
      readonly scopes?: readonly Scope[]
    }
    readonly reply: Success & {
      readonly key: {
        readonly id: number
        readonly kind: 'secret' | 'publishable'
        /** How the key begins. */
        readonly hint: string
        readonly scopes: readonly Scope[]
        readonly label: string
        readonly created_at: string
        readonly revoked_at: string | null
        /** The key itself. It is shown once; a replay of the request has null here. */
        readonly api_key: string | null
      }
    }
  }
  /** Revokes an API key */
  readonly 'POST /api/v1/brand/keys/{id}/revoke': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly key: Key
    }
  }
}
