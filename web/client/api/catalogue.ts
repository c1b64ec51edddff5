// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Type } from './common.ts'
import type { Success } from './envelope.ts'

export type Language = {
  readonly value: string
  /** Live devices. */
  readonly count: number
  readonly last_seen: string
}

export type CatalogueApi = {
  /** List attributes with their types, use and most frequent values */
  readonly 'GET /api/v1/catalogue/attributes': {
    readonly query?: {
      /** The event whose attributes are meant; without it, those of people. */
      readonly event_name?: string
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** How many of the most frequent values each attribute has in the reply. */
      readonly values?: number
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly attributes: readonly {
        readonly name: string
        readonly type: Type
        /** Whether only browsers sent it. */
        readonly is_provisional: boolean
        /** The people who have it; for an event, the values that came. */
        readonly count: number
        readonly last_seen: string
        /** The most frequent texts, numbers and booleans, most frequent first. */
        readonly values: readonly {
          readonly value: Json
          readonly count: number
        }[]
      }[]
      /** Whether the numbers come from a sample. */
      readonly estimated: boolean
      readonly next_cursor: string | null
    }
  }
  /** List the most frequent values of an attribute */
  readonly 'GET /api/v1/catalogue/attributes/{attribute}/values': {
    readonly path: {
      readonly attribute: string
    }
    readonly query?: {
      /** The event whose attributes are meant; without it, those of people. */
      readonly event_name?: string
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** The most values in the reply; there are no further pages. */
      readonly limit?: number
    }
    readonly reply: Success & {
      /** The most frequent texts, numbers and booleans, most frequent first. */
      readonly values: readonly {
        readonly value: Json
        readonly count: number
      }[]
      /** Whether the numbers come from a sample. */
      readonly estimated: boolean
    }
  }
  /** List the tags of devices and people */
  readonly 'GET /api/v1/catalogue/tags': {
    readonly query?: {
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** By name, or the most frequent first. */
      readonly sort?: 'name' | 'count'
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly tags: readonly {
        readonly value: string
        /** The live devices and the people that carry it. */
        readonly count: number
        /** When it was last given to one of them. */
        readonly last_seen: string
      }[]
      /** Always false: tags are counted one by one. */
      readonly estimated: boolean
      readonly next_cursor: string | null
    }
  }
  /** List the languages of devices */
  readonly 'GET /api/v1/catalogue/languages': {
    readonly query?: {
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** The most values in the reply; there are no further pages. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly languages: readonly Language[]
      /** Whether the numbers come from a sample. */
      readonly estimated: boolean
    }
  }
  /** List the time zones of devices */
  readonly 'GET /api/v1/catalogue/time_zones': {
    readonly query?: {
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** The most values in the reply; there are no further pages. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly time_zones: readonly Language[]
      /** Whether the numbers come from a sample. */
      readonly estimated: boolean
    }
  }
  /** List the versions of apps */
  readonly 'GET /api/v1/catalogue/app_versions': {
    readonly query?: {
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** The most values in the reply; there are no further pages. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly app_versions: readonly Language[]
      /** Whether the numbers come from a sample. */
      readonly estimated: boolean
    }
  }
  /** List the browsers of web subscriptions */
  readonly 'GET /api/v1/catalogue/browsers': {
    readonly query?: {
      /** Only names or values that begin so, in any case. */
      readonly prefix?: string
      /** The most values in the reply; there are no further pages. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly browsers: readonly Language[]
      /** Whether the numbers come from a sample. */
      readonly estimated: boolean
    }
  }
}
