import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '../../../web/client/client.ts'
import { BeckonError } from '../../../web/client/failure.ts'
import type { Lab } from '../lab/lab.ts'
import { eventOf, pushOf } from './bodies.ts'
import type { DeedContext } from './deeds.ts'

/** As docs/cluster.md advises: longer than a failover takes. */
const DEADLINE_MS = 60_000
/** A call that fails at once, as with a wrong key, must not fill the machine. */
const AFTER_REJECTION_MS = 1_000

/** Calls of the client library, which tries again by itself until its deadline. */
export type LibraryCalls = {
  acknowledged: number
  /** The errors that callers were told, and after how long. */
  readonly rejected: string[]
}

/** The client library that programs of users have. */
export function newLibrary({ url, brand }: Pick<Lab, 'url' | 'brand'>): Client {
  return new Client({ url, key: brand.key, deadlineMs: DEADLINE_MS })
}

/** An event without an id of its own: the key of the library keeps it from being stored twice. */
export async function logByLibrary(context: DeedContext): Promise<void> {
  const { library, world, ledger, newMark } = context
  const mark = newMark()
  const reply = await settle(context, mark, async () =>
    library.call('POST /api/event', { body: { nv: [eventOf(world, mark)] } }),
  )
  if (reply !== null) ledger.events.push(mark)
}

export async function sendByLibrary(context: DeedContext): Promise<void> {
  const { library, world, ledger, newMark } = context
  const { mark, platform, body, wanted } = pushOf(world, newMark())
  const reply = await settle(context, mark, async () => library.call(SENDS[platform], { body }))
  if (reply?.notification !== undefined) ledger.pushes.push({ mark, id: reply.notification.id, wanted })
}

const SENDS = { ios: 'POST /api/v1/ios/send', web: 'POST /api/v1/web/send' } as const

/** The reply, or null when the library gave up. */
async function settle<Reply>(
  { ledger: { library } }: DeedContext,
  mark: string,
  call: () => Promise<Reply>,
): Promise<Reply | null> {
  const beganAt = performance.now()
  try {
    const reply = await call()
    library.acknowledged += 1
    return reply
  } catch (cause) {
    const ms = Math.round(performance.now() - beganAt)
    const code = cause instanceof BeckonError ? `${cause.status} ${cause.code}` : String(cause)
    library.rejected.push(`${mark} after ${ms} ms of ${DEADLINE_MS}: ${code}`)
    await wait(AFTER_REJECTION_MS)
    return null
  }
}
