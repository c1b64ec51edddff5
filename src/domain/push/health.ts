import { COOL_DOWN_RULES, PAUSE_RULES } from '../../rules/push.ts'
import type { Verdict } from './verdict.ts'

/**
 * The state of a channel, which all workers share.
 *
 * | state   | refused or braking | accepted | `retry_at` passes | new credential |
 * |---------|--------------------|----------|-------------------|----------------|
 * | working | paused             | working  | –                 | working        |
 * | paused  | paused             | –        | probing           | working        |
 * | probing | paused             | working  | –                 | working        |
 *
 * A paused channel hands nothing over. A probing one hands over as a working one does, and its first answers decide.
 */
export type ChannelState = 'working' | 'paused' | 'probing'

/** The meaning of a settlement's verdicts for their channel; `suspect` lets the answers of all workers decide. */
export type ChannelEvent = 'none' | 'accepted' | 'suspect' | 'braking' | 'refused'

type SendingState = Exclude<ChannelState, 'paused'>

/** The first two columns of the table above. The database moves a channel along the others. */
const CHANNEL_MOVES: Readonly<Record<SendingState, Readonly<Record<ChannelEvent, ChannelState>>>> = {
  working: { none: 'working', accepted: 'working', suspect: 'working', braking: 'paused', refused: 'paused' },
  probing: { none: 'probing', accepted: 'working', suspect: 'probing', braking: 'paused', refused: 'paused' },
}

export function channelAfter(state: SendingState, event: ChannelEvent): ChannelState {
  return CHANNEL_MOVES[state][event]
}

type ChannelFindings = {
  readonly state: SendingState
  /** Whether a refusal is about the credential: there is one push host, or all of them refuse. */
  readonly isRefusedByAll: boolean
}

/** A channel that is probed works again if more messages are accepted than blame their device. */
export function channelEvent(verdicts: readonly Verdict[], findings: ChannelFindings): ChannelEvent {
  const { state, isRefusedByAll } = findings
  if (isRefusedByAll && verdicts.some(({ kind }) => kind === 'paused')) return 'refused'
  const suspects = verdicts.filter(isSuspect).length
  const accepted = verdicts.filter(({ kind }) => kind === 'accepted').length
  if (accepted > suspects && (suspects === 0 || state === 'probing')) return 'accepted'
  return suspects > 0 ? 'suspect' : 'none'
}

/** The cool-down of a push host or a credential after so many failures in a row; a provider may ask for more. */
export function failureCoolDownMs(failures: number): number {
  const { failuresInRow, failuresMs, failuresMsMax } = COOL_DOWN_RULES
  if (failures === 0 || failures % failuresInRow !== 0) return 0
  return Math.min(failuresMsMax, failuresMs * 2 ** (failures / failuresInRow - 1))
}

/** The cool-down of a credential at one push host after so many refusals in a row. */
export function refusalCoolDownMs(refusals: number): number {
  return isRefusing(refusals) ? PAUSE_RULES.pauseMs : 0
}

/** Whether a push host has refused a credential so often that it refuses every message. */
export function isRefusing(refusals: number): boolean {
  return refusals >= COOL_DOWN_RULES.refusalsInRow
}

export function isSuspect(verdict: Verdict): boolean {
  return verdict.kind === 'gone' && verdict.isSuspect
}
