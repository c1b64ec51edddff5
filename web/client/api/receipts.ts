// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type ReceiptsApi = {
  /** Takes what devices tell of their notifications */
  readonly 'POST /api/v1/receipts': {
    readonly body: {
      readonly receipts: readonly {
        /** The token that came with the message. */
        readonly receipt: string
        readonly kind: 'received' | 'clicked' | 'dismissed' | 'button'
        /** Which one, for a button. */
        readonly button?: number
      }[]
    }
    readonly reply: Success & {
      /** How many were new. */
      readonly counted: number
    }
  }
  /** Counts what devices told of a notification */
  readonly 'GET /api/v1/notifications/{id}/receipts': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly receipts: {
        readonly received: number
        readonly clicked: number
        readonly dismissed: number
        readonly button: number
      }
    }
  }
}
