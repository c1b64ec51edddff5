/**
 * A process of its own that logs events, to race with others. It says when it is ready, is told what to send, sends it
 * and says which values of each call were mistyped; whoever started it ends it.
 */

import { parseEventBody } from '../../src/http/events/body.ts'
import { EventIntake, type EventNotices } from '../../src/intake/events/intake.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { Database } from '../../src/store/db.ts'
import { PATIENT } from '../support/database/database.ts'

/** The calls to make, one after the other; each is the `nv` of a body. */
export type Sending = { readonly brandId: number; readonly calls: readonly (readonly object[])[] }

/** The mistyped values, by call. */
export type Sent = readonly EventNotices['mistyped'][]

const [url = ''] = process.argv.slice(2)
const database = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'event sender' })
const intake = new EventIntake({ database, clock: systemClock })
await database.query('select 1')

process.once('message', (sending: Sending) => {
  void send(sending).then((sent) => process.send?.(sent))
})
process.send?.('ready')

async function send({ brandId, calls }: Sending): Promise<Sent> {
  const sent: EventNotices['mistyped'][] = []
  for (const nv of calls) {
    const settings = { now: Date.now(), timeZone: 'UTC', isMerging: false }
    const batch = parseEventBody({ nv }, settings)
    if (!batch.ok || batch.value.refused.length > 0)
      throw new Error('the test sent an entry that is not good')
    const { entries } = batch.value
    sent.push((await intake.submit(brandId, { entries, rejected: [], isMerging: false })).mistyped)
  }
  return sent
}
