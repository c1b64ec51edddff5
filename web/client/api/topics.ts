// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type TopicsApi = {
  /** Create a topic */
  readonly 'POST /api/v1/topics': {
    readonly body: {
      /** The name of the topic in calls: lower-case letters and digits, with single dashes or underscores between them. */
      readonly name: string
      /** The name of the topic for people. */
      readonly title: string
      /** A sentence for people about the messages of this topic. */
      readonly description?: string
    }
    readonly reply: Success & {
      readonly topic: {
        readonly name: string
        readonly title: string
        readonly description: string
        /** True for transactional, which every brand has and nobody can opt out of. */
        readonly is_reserved: boolean
        readonly created_at: string | null
        readonly updated_at: string | null
        readonly archived_at: string | null
      }
    }
  }
  /** List topics */
  readonly 'GET /api/v1/topics': {
    readonly query?: {
      /** True lists only archived ones. */
      readonly archived?: boolean
    }
    readonly reply: Success & {
      readonly topics: readonly {
        readonly name: string
        readonly title: string
        readonly description: string
        /** True for transactional, which every brand has and nobody can opt out of. */
        readonly is_reserved: boolean
        readonly created_at: string | null
        readonly updated_at: string | null
        readonly archived_at: string | null
      }[]
    }
  }
  /** Change a topic */
  readonly 'PATCH /api/v1/topics/{name}': {
    readonly path: {
      readonly name: string
    }
    readonly body: {
      /** The name of the topic for people. */
      readonly title?: string
      /** A sentence for people about the messages of this topic. */
      readonly description?: string
    }
    readonly reply: Success & {
      readonly topic: {
        readonly name: string
        readonly title: string
        readonly description: string
        /** True for transactional, which every brand has and nobody can opt out of. */
        readonly is_reserved: boolean
        readonly created_at: string | null
        readonly updated_at: string | null
        readonly archived_at: string | null
      }
    }
  }
  /** Archive a topic */
  readonly 'POST /api/v1/topics/{name}/archive': {
    readonly path: {
      readonly name: string
    }
    readonly reply: Success & {
      readonly topic: {
        readonly name: string
        readonly title: string
        readonly description: string
        /** True for transactional, which every brand has and nobody can opt out of. */
        readonly is_reserved: boolean
        readonly created_at: string | null
        readonly updated_at: string | null
        readonly archived_at: string | null
      }
    }
  }
}
