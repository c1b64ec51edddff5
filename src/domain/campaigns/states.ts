import { CAMPAIGN_STATES, type CampaignState, CHANGEABLE_STATES } from '../../rules/campaigns.ts'
import type { NotificationState } from '../../rules/push.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'

/** Whether a campaign may go from one state to another. Asking for its present state is no mistake. */
export function planCampaignState(state: CampaignState, wanted: CampaignState): Result<CampaignState> {
  const next: readonly CampaignState[] = CAMPAIGN_STATES[state]
  return state === wanted || next.includes(wanted) ? accept(wanted) : reject(refusal(state, wanted))
}

/** Whether a campaign may be changed. */
export function planCampaignChange(
  { state, version }: { readonly state: CampaignState; readonly version: number },
  givenVersion: number,
): Result<null> {
  const changeable: readonly CampaignState[] = CHANGEABLE_STATES
  if (!changeable.includes(state)) return reject(refusal(state, 'changed'))
  if (version === givenVersion) return accept(null)
  return reject(fault('campaign_version', 'version', { given: givenVersion, version }))
}

/** Whether a launch may go on by itself, or must ask for the consent of another key or member first. */
export function planConsent({ people, approvalAbove, asker }: ConsentFacts): 'launch' | 'ask' {
  if (!asker.mayLaunch) return 'ask'
  return asker.mayApprove || approvalAbove === null || people <= approvalAbove ? 'launch' : 'ask'
}

export type ConsentFacts = {
  readonly people: number
  readonly approvalAbove: number | null
  readonly asker: Asker
}

/** The actor that asks for a launch, by its name. `mayLaunch` is false for an author, who always has to ask. */
export type Asker = {
  readonly requestedBy: string
  readonly mayLaunch: boolean
  readonly mayApprove: boolean
}

/** Whether an actor, by its name, may approve a campaign: not the one that asked. */
export function planApproval(
  { state, requestedBy }: { readonly state: CampaignState; readonly requestedBy: string | null },
  { approver }: { readonly approver: string },
): Result<null> {
  if (state !== 'awaiting_approval') return reject(refusal(state, 'approved'))
  return requestedBy === approver ? reject(fault('approval_own')) : accept(null)
}

/** Whether a campaign may be archived: only one of which nothing more can be sent. */
export function planCampaignArchive(state: CampaignState): Result<null> {
  const isAtRest = state === 'draft' || CAMPAIGN_STATES[state].length === 0
  return isAtRest ? accept(null) : reject(refusal(state, 'archived'))
}

function refusal(state: CampaignState, wanted: string) {
  return fault('campaign_state', null, { state, wanted })
}

/**
 * The state of a launched campaign, from the states of its notifications. A notification that was cancelled by itself
 * does not count, unless all are. When the test of a campaign is sent, its variants are still to be compared. Null when the campaign has no notification.
 */
export function launchedState(
  states: readonly NotificationState[],
  { isUndecided }: { readonly isUndecided: boolean },
): CampaignState | null {
  if (states.length === 0) return null
  const going = states.filter((state) => state !== 'cancelled')
  if (going.length === 0) return 'cancelled'
  if (going.every((state) => state === 'scheduled')) return 'scheduled'
  if (going.some((state) => state === 'scheduled' || state === 'queued' || state === 'sending'))
    return 'sending'
  if (isUndecided) return 'deciding'
  return going.every((state) => state === 'failed') ? 'failed' : 'sent'
}
