import { planBroadcast } from '../../../src/delivery/planner.ts'
import type { Database } from '../../../src/store/db.ts'
import { type ChunkRef, type ClaimedChunk, claimChunks } from '../../../src/store/push/chunks.ts'
import { endChunks, expireChunks } from '../../../src/store/push/end-chunks.ts'
import { type OpenChunk, openChunks } from '../../../src/store/push/open-chunks.ts'
import { claimPlans } from '../../../src/store/push/planning.ts'
import type { Recipient } from '../../../src/store/push/recipient.ts'
import { releaseSends } from '../../../src/store/push/release.ts'
import { settleChunks } from '../../../src/store/push/settle.ts'
import type { ClaimState, RecipientOutcome } from '../../../src/store/push/settlement.ts'

/** What the provider of a test answers; everything is accepted unless it says otherwise. */
export type Judge = (recipient: Recipient, chunk: OpenChunk) => Partial<Omit<RecipientOutcome, 'recipientId'>>

export type Drained = { readonly recipient: Recipient; readonly chunk: OpenChunk }

/** One round of the planner, as of an instant. */
export async function planDue(database: Database, now?: number): Promise<void> {
  const moment = now === undefined ? {} : { now }
  while ((await releaseSends(database, { rowsMax: 500, ...moment })) > 0);
  for (;;) {
    const claims = await claimPlans(database, { count: 10, leaseMs: 60_000, ...moment })
    if (claims.length === 0) break
    for (const claim of claims) await planBroadcast(database, claim, moment)
  }
  while ((await expireChunks(database, { rowsMax: 500, ...moment })) > 0);
}

export async function claimOne(database: Database, now?: number): Promise<ClaimedChunk | null> {
  const moment = now === undefined ? {} : { now }
  const claim = { workerId: 'test', count: 1, leaseMs: 30_000, sizes: 'any', ...moment } as const
  return (await claimChunks(database, claim))[0] ?? null
}

export async function open(database: Database, chunk: ChunkRef, now?: number): Promise<OpenChunk | null> {
  const moment = now === undefined ? {} : { now }
  const [opened] = await database.asQueue(async (tx) => openChunks(tx, [chunk], moment))
  return opened ?? null
}

export async function settle(
  database: Database,
  chunk: ChunkRef,
  outcomes: readonly (Partial<RecipientOutcome> & Pick<RecipientOutcome, 'recipientId'>)[],
): Promise<ClaimState> {
  const accepted = {
    state: 'accepted',
    reason: null,
    retryAt: null,
    unknowns: 0,
    language: null,
    variant: null,
  } as const
  const settlement = {
    chunk,
    outcomes: outcomes.map((outcome) => ({ ...accepted, ...outcome })),
    textsCut: 0,
  }
  const [state = 'lost'] = await settleChunks(database.queue, [settlement])
  return state
}

/** The judge that accepts, and writes down which content the recipient got. */
export const acceptContent: Judge = ({ id }, { choices }) => {
  const { variant = null, language = null } = choices.get(id) ?? {}
  return { variant, language }
}

/** Plans, claims, judges and settles until nothing is ready: what the engine does, without sending anything. */
export async function drain(
  database: Database,
  { judge = () => ({}), now }: { readonly judge?: Judge; readonly now?: number } = {},
): Promise<readonly Drained[]> {
  const drained: Drained[] = []
  await planDue(database, now)
  for (;;) {
    const claimed = await claimOne(database, now)
    if (claimed === null) return drained
    const chunk = await open(database, claimed, now)
    if (chunk === null) continue
    if (chunk.isCancelled) {
      await endChunks(database, [{ chunk: claimed, end: { state: 'cancelled', reason: 'cancelled' } }])
      continue
    }
    const outcomes = chunk.recipients.map((recipient) => ({
      recipientId: recipient.id,
      ...judge(recipient, chunk),
    }))
    drained.push(...chunk.recipients.map((recipient) => ({ recipient, chunk })))
    if (outcomes.length > 0) await settle(database, claimed, outcomes)
  }
}
