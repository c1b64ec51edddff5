import { addRow, dropRows, firstRows } from './database.ts'
import { fact } from './facts.ts'
import { post } from './post.ts'

/** A receipt: what became of a notification, with the token that came with it. */
export type Receipt = { readonly receipt: string; readonly kind: string; readonly button?: number }

const RECEIPTS_MAX = 500
const CALL_MAX = 100

export async function addReceipt(receipt: Receipt): Promise<void> {
  await addRow('receipts', receipt, RECEIPTS_MAX)
}

/** Sends the stored receipts, and deletes them when the server has them. False: try again later. */
export async function flushReceipts(): Promise<boolean> {
  const site = await fact('site')
  if (site === undefined) return false
  return navigator.locks.request('beckon-receipts', async () => {
    for (let count = CALL_MAX; ; ) {
      const rows = await firstRows('receipts', count)
      const last = rows.at(-1)?.['seq']
      if (typeof last !== 'number') return true
      const receipts = rows.map(({ receipt, kind, button }) => ({ receipt, kind, button }))
      const { status } = await post(`${site.api}/api/v1/receipts`, { receipts })
      if (status !== 200 && status !== 400) return false
      // One bad receipt makes the server refuse the call. Sent one by one, only the bad one is dropped.
      if (status === 400 && rows.length > 1) count = 1
      else await dropRows('receipts', last)
    }
  })
}
