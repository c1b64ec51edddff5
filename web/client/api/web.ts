// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Topic } from './common.ts'

import type { Success } from './envelope.ts'

export type WebApi = {
  /** Create a visitor */
  readonly 'POST /api/v1/visitors': {
    readonly query?: {
      /** The publishable key, in place of a header. */
      readonly key?: string
    }
    readonly reply: Success & {
      readonly visitor: {
        /** The token that identifies the browser. Store it. */
        readonly token: string
      }
      readonly push_key: string
    }
  }
  /** Run the commands of a visitor */
  readonly 'POST /api/v1/visitors/commands': {
    readonly query?: {
      /** The publishable key, in place of a header. */
      readonly key?: string
    }
    readonly body: {
      /** The token that POST /api/v1/visitors gave this browser. */
      readonly visitor: string
      /** The browser’s clock in milliseconds since 1970, so that Beckon can correct its error. */
      readonly sent_at?: number
      /** The push endpoint of the browser; its subscription follows login and logout. */
      readonly endpoint?: string
      /** The commands, in order. Each is checked by itself. */
      readonly commands: readonly {
        readonly do: 'event' | 'user' | 'subscribe' | 'unsubscribe' | 'logout'
      }[]
    }
    readonly reply: Success & {
      readonly visitor?: {
        /** The token that identifies the browser. Store it. */
        readonly token: string
      }
      readonly unprocessed?: readonly {
        readonly index: number
        readonly code: string
      }[]
    }
  }
  /** Read or change the preferences of a visitor */
  readonly 'POST /api/v1/visitors/preferences': {
    readonly query?: {
      /** The publishable key, in place of a header. */
      readonly key?: string
    }
    readonly body: {
      /** The token that POST /api/v1/visitors gave this browser. */
      readonly visitor: string
      /** The whole list of topics to be left out of; `*` is everything but transactional. An empty list takes all opt-outs back. */
      readonly opt_outs?: readonly string[]
    }
    readonly reply: Success & {
      readonly preferences: {
        /** The topics that were opted out of; `*` is everything but transactional. */
        readonly opt_outs: readonly string[]
        readonly topics: readonly Topic[]
      }
    }
  }
  /** The web SDK, as a script */
  readonly 'GET /sdk.js': {
    readonly reply: Response
  }
  /** The web SDK, as a script, one fixed version */
  readonly 'GET /sdk.{hash}.js': {
    readonly path: {
      readonly hash: string
    }
    readonly reply: Response
  }
  /** The web SDK, as a module */
  readonly 'GET /sdk.mjs': {
    readonly reply: Response
  }
  /** The web SDK, as a module, one fixed version */
  readonly 'GET /sdk.{hash}.mjs': {
    readonly path: {
      readonly hash: string
    }
    readonly reply: Response
  }
  /** The types of the web SDK */
  readonly 'GET /sdk.d.ts': {
    readonly reply: Response
  }
  /** The types of the web SDK, one fixed version */
  readonly 'GET /sdk.{hash}.d.ts': {
    readonly path: {
      readonly hash: string
    }
    readonly reply: Response
  }
  /** The part of the web SDK for preferences, loaded on demand */
  readonly 'GET /preferences.mjs': {
    readonly reply: Response
  }
  /** The part of the web SDK for preferences, loaded on demand, one fixed version */
  readonly 'GET /preferences.{hash}.mjs': {
    readonly path: {
      readonly hash: string
    }
    readonly reply: Response
  }
  /** The service worker, for importScripts */
  readonly 'GET /sw.js': {
    readonly reply: Response
  }
  /** The service worker, for importScripts, one fixed version */
  readonly 'GET /sw.{hash}.js': {
    readonly path: {
      readonly hash: string
    }
    readonly reply: Response
  }
}
