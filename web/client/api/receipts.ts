// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Kind } from './common.ts'

import type { Success } from './envelope.ts'

export type ReceiptsApi = {
  /** Report receipts */
  readonly 'POST /api/v1/receipts': {
    readonly body: {
      readonly receipts: readonly {
        /** The token that came with the message. */
        readonly receipt: string
        readonly kind: Kind
        /** The number of the button, for the kind `button`. */
        readonly button?: number
      }[]
    }
    readonly reply: Success & {
      /** How many were new. */
      readonly counted: number
    }
  }
  /** Count the receipts of a notification */
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
