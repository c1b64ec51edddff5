import { unreachable } from '../../domain/unreachable.ts'
import { BRAKE_REASON, BRAKE_RULES } from '../../rules/push.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Db } from '../../store/db.ts'
import { fillBudgets, switchBrakeOff } from '../../store/push/brake.ts'
import { type ChannelRef, endBrake, loadChannel } from '../../store/push/channels.ts'
import { wakeChunks } from '../../store/push/postpone.ts'
import { restoreSubscriptions } from '../../store/subscriptions/restore.ts'

/** The word of a channel's owner about the devices that many answers blame. */
export type BrakeAction =
  /** The devices are fine and the fault is mended: the retired ones become live again. */
  | { readonly kind: 'restore'; readonly withinMs: number }
  /** The devices are dead: for a while they are retired without a bound. */
  | { readonly kind: 'retire' }

/** Ends the pause that the brake made, and gives the number of devices that became live again. */
export async function answerBrake(
  { clock }: { readonly clock: Clock },
  tx: Db,
  { ref, action }: { readonly ref: ChannelRef; readonly action: BrakeAction },
): Promise<number> {
  const now = clock.now()
  const restored = await carryOut(tx, ref, { action, now })
  await endBrake(tx, ref, BRAKE_REASON)
  await wakeChunks(tx, ref)
  return restored
}

async function carryOut(
  tx: Db,
  ref: ChannelRef,
  { action, now }: { readonly action: BrakeAction; readonly now: number },
): Promise<number> {
  switch (action.kind) {
    case 'restore':
      await fillBudgets(tx, ref)
      return restoreSubscriptions(tx, {
        ...ref,
        since: now - action.withinMs,
        limit: BRAKE_RULES.restoredMax,
      })
    case 'retire': {
      const channel = await loadChannel(tx, ref)
      await switchBrakeOff(tx, { ...ref, version: channel?.version ?? 0, now })
      return 0
    }
    default:
      return unreachable(action)
  }
}
