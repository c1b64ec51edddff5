// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Success } from './envelope.ts'

export type Fault = {
  readonly id: number
  readonly fault: string
  readonly status: number | null
  readonly retry_after: number | null
  readonly delay_ms: number | null
  readonly share: number
  readonly host: string | null
  readonly token: string | null
  readonly times: number | null
  readonly ends_at: string
  /** How many messages it has happened to. */
  readonly count: number
}

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
  /** Let the sandbox fail */
  readonly 'POST /sandbox/faults': {
    readonly body: {
      /** `hang`: The message is not taken, and no answer comes. `drip`: The message is taken. The status comes at once, and its body one byte at a time, for ever. `reset`: The message is not taken, and its stream ends with an error. `close`: The message is taken, and the connection ends without its answer. `late`: The message is taken, and its answer comes after delay_ms. `answer`: The message is not taken, and the answer is status, with retry_after as its Retry-After. */
      readonly fault: 'hang' | 'drip' | 'reset' | 'close' | 'late' | 'answer'
      /** The status of `answer`; by default 503. */
      readonly status?: number
      /** The Retry-After of `answer`, in seconds. */
      readonly retry_after?: number
      /** How much later `late` answers, in milliseconds; by default 15000. */
      readonly delay_ms?: number
      /** The share of the messages that fail, by chance: 0.1 is one of ten. By default all. */
      readonly share?: number
      /** Only this push service; by default all three. */
      readonly host?: 'fcm' | 'apns' | 'webpush'
      /** Only this device: its token, or the endpoint of a browser. */
      readonly token?: string
      /** How many messages it happens to at most; by default any number. */
      readonly times?: number
      /** How long it lasts; by default 3600. */
      readonly seconds?: number
    }
    readonly reply: Success & {
      readonly fault: Fault
    }
  }
  /** List the faults of the sandbox */
  readonly 'GET /sandbox/faults': {
    readonly reply: Success & {
      readonly faults: readonly Fault[]
    }
  }
  /** End all faults of the sandbox */
  readonly 'DELETE /sandbox/faults': {
    readonly reply: Success
  }
}
