import { BRAKE_RULES } from '../../rules/push.ts'
import { isSuspect } from './health.ts'
import type { Verdict } from './verdict.ts'

/** The kinds of answers that retire a device, each with a budget of its own. */
export type BrakeKind = keyof typeof BRAKE_RULES.givenBack

/** The devices that a channel, or a push host of it, may still retire. */
export type BrakeBudget = {
  readonly left: number
  /** The instant of the last answer that blamed a device. */
  readonly blamedAt: number
}

export const FULL_BUDGET: BrakeBudget = { left: BRAKE_RULES.devicesMax, blamedAt: 0 }

/** An answer that accepts a message or blames its device, and when it came. */
export type BrakeAnswer = { readonly at: number; readonly isAccepted: boolean }

/** A budget after some answers, and for each answer that blamed a device whether the device may be retired. */
export type BrakeDraw = { readonly budget: BrakeBudget; readonly mayRetire: readonly boolean[] }

/**
 * Draws on a budget for answers in the order of their arrival. An acceptance from before the last blame, which another
 * worker may have reported meanwhile, proves nothing about the time after it, so it gives nothing back. Therefore a
 * fault that begins at some instant costs at most a full budget, however many workers there are.
 */
export function drawBudget(
  { left: before, blamedAt }: BrakeBudget,
  answers: readonly BrakeAnswer[],
  kind: BrakeKind,
): BrakeDraw {
  const mayRetire: boolean[] = []
  let left = before
  let last = blamedAt
  for (const { at, isAccepted } of answers) {
    if (isAccepted && at > blamedAt)
      left = Math.min(BRAKE_RULES.devicesMax, left + BRAKE_RULES.givenBack[kind])
    if (isAccepted) continue
    const isCovered = left >= 1
    if (isCovered) left -= 1
    mayRetire.push(isCovered)
    last = Math.max(last, at)
  }
  return { budget: { left, blamedAt: last }, mayRetire }
}

/** How many acceptances fill an empty budget; older ones need not be remembered. */
export function acceptancesKept(kind: BrakeKind): number {
  return Math.ceil(BRAKE_RULES.devicesMax / BRAKE_RULES.givenBack[kind])
}

/** The kind of a verdict that blames its device; null for any other verdict. */
export function blameOf(verdict: Verdict): BrakeKind | null {
  if (verdict.kind !== 'gone') return null
  return isSuspect(verdict) ? 'setting' : 'host'
}

/**
 * The verdict in place of one that the brake holds back. Null when the message stays untried, because a setting is to
 * be mended first. A browser's message is tried again, because its push host may recover; APNs and FCM forbid to try
 * a dead device again, so the message of an app fails. The device stays live in every case.
 */
export function heldVerdict(
  verdict: Verdict,
  { hasManyHosts }: { readonly hasManyHosts: boolean },
): Verdict | null {
  if (verdict.kind !== 'gone') return verdict
  if (isSuspect(verdict)) return null
  const { reason } = verdict
  return hasManyHosts ? { kind: 'retry', reason, waitMs: 0, scope: 'address' } : { kind: 'refused', reason }
}
