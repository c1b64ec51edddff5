// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Success } from './envelope.ts'

export type SandboxApi = {
  /** Read the inbox of the sandbox */
  readonly 'GET /sandbox/inbox': {
    readonly reply: Success & {
      readonly arrivals: readonly {
        readonly platform: string
        readonly address: string
        readonly arrived_at: string
        readonly collapse_id: string | null
        readonly payload: Json
      }[]
    }
  }
  /** Create a simulated device */
  readonly 'POST /sandbox/devices': {
    readonly body: {
      readonly platform: 'android' | 'ios' | 'web'
    }
    readonly reply: Success & {
      readonly device: Json
    }
  }
}
