// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Brand = {
  /** What callers send as x-brand-id. */
  readonly brand_id: string
  readonly name: string
  readonly time_zone: string
  readonly profile_merging: boolean
  readonly allowed_origins: readonly string[]
  readonly identity_verification: boolean
  readonly frequency_cap: number | null
  readonly created_at: string
}

export type BrandApi = {
  /** Reads the brand’s settings */
  readonly 'GET /api/v1/brand': {
    readonly reply: Success & {
      readonly brand: Brand
    }
  }
  /** Changes the brand’s settings */
  readonly 'PATCH /api/v1/brand': {
    readonly body: {
      /** What people call the brand. */
      readonly name?: string
      /** An IANA name such as Europe/Berlin, or an offset such as +05:30. Times without a zone are meant in it. */
      readonly time_zone?: string
      /** Whether email and mobile identify a profile as userID does. */
      readonly profile_merging?: boolean
      /** The sites that may use a publishable key, such as https://example.com. */
      readonly allowed_origins?: readonly string[]
      /** Whether a page must prove its userID with user_hash; see identity-key. */
      readonly identity_verification?: boolean
      /** How many notifications a person may get on one day of the brand’s zone, over journeys and broadcasts; null for any number. */
      readonly frequency_cap?: number | null
    }
    readonly reply: Success & {
      readonly brand: Brand
    }
  }
  /** Makes the key with which your server vouches for its users */
  readonly 'POST /api/v1/brand/identity-key': {
    readonly reply: Success & {
      readonly identity_key: string
    }
  }
}
