import { PLATFORMS, type Platform } from '../../rules/platforms.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'

/** The identifiers of one subscriber in a request. `eitherId` is the key `user_id/subscription_id`. */
export type TargetKeys = {
  readonly userId: string | null
  readonly subscriptionId: string | null
  readonly eitherId: string | null
  readonly deviceId: string | null
}

/** A subscription that one of the identifiers finds, live or not, on any platform. */
export type Candidate = {
  readonly id: bigint
  readonly subscriptionId: string
  readonly profileId: bigint | null
  readonly platform: Platform
  readonly deviceId: string | null
  readonly isLive: boolean
  readonly tags: readonly string[]
}

/** The facts of the store about the identifiers: the profiles that they name, and the subscriptions that they find. */
export type TargetFacts = {
  readonly userProfileId: bigint | null
  /** The profile of `eitherId`, taken as a user id. */
  readonly eitherProfileId: bigint | null
  readonly candidates: readonly Candidate[]
}

/**
 * The live subscriptions that all the given keys agree on. A user may have several; a subscription or a device is one
 * (decisions §3). A subscription of another brand is not among the facts, so it is "not found".
 */
export function resolveTarget(
  keys: TargetKeys,
  facts: TargetFacts,
  platform: Platform,
): Result<readonly Candidate[]> {
  const claims = claimsOf(keys, facts, platform)
  const unknown = claims.find((claim) => !claim.isKnown)
  if (unknown !== undefined) return reject(fault('subscriber_not_found', unknown.field))

  const agreed = facts.candidates.filter((candidate) => claims.every(({ finds }) => finds(candidate)))
  const second = claims[1]
  if (agreed.length === 0 && second !== undefined && !isOneProfile(claims)) {
    return reject(fault('identifiers_disagree', second.field))
  }
  const live = agreed.filter((candidate) => candidate.isLive && candidate.platform === platform)
  return live.length > 0
    ? accept(live)
    : reject(fault('no_live_subscription', claims[0]?.field, { platform }))
}

/**
 * The target of a later send: a person with the devices they have then, or the one device found now. `profileId` is
 * the person of the device, so that the notification is exported and erased with the person.
 */
export type LastingTarget =
  | { readonly profileId: bigint; readonly subscriptionIds: null }
  | { readonly profileId: bigint | null; readonly subscriptionIds: readonly bigint[] }

export function lastingTarget(
  keys: TargetKeys,
  { userProfileId, eitherProfileId }: TargetFacts,
  live: readonly Candidate[],
): LastingTarget {
  const profileId = userProfileId ?? eitherProfileId
  const namesDevice =
    keys.subscriptionId !== null ||
    keys.deviceId !== null ||
    (keys.eitherId !== null && eitherProfileId === null)
  if (profileId !== null && !namesDevice) return { profileId, subscriptionIds: null }
  return { profileId: live[0]?.profileId ?? null, subscriptionIds: live.map(({ id }) => id) }
}

/** The result of one identifier: the subscriptions that it finds, and whether it is known at all. */
type Claim = {
  readonly field: string
  readonly profileId: bigint | null
  readonly isKnown: boolean
  readonly finds: (candidate: Candidate) => boolean
}

function claimsOf(keys: TargetKeys, facts: TargetFacts, platform: Platform): readonly Claim[] {
  const { userId, subscriptionId, eitherId, deviceId } = keys
  const { candidates, userProfileId, eitherProfileId } = facts
  const claims: Claim[] = []
  if (userId !== null) claims.push(profileClaim('user_id', userProfileId))
  if (subscriptionId !== null) claims.push(subscriptionClaim('subscription_id', subscriptionId, candidates))
  // The contract calls the key the id of the user, so a user of that name comes before a subscription of it.
  if (eitherId !== null && eitherProfileId !== null) {
    claims.push(profileClaim('user_id/subscription_id', eitherProfileId))
  } else if (eitherId !== null) {
    claims.push(subscriptionClaim('user_id/subscription_id', eitherId, candidates))
  }
  if (deviceId !== null) claims.push(deviceClaim({ deviceId, platform }, candidates))
  return claims
}

function profileClaim(field: string, profileId: bigint | null): Claim {
  const finds = (candidate: Candidate): boolean => candidate.profileId === profileId
  return { field, profileId, isKnown: profileId !== null, finds }
}

function subscriptionClaim(field: string, subscriptionId: string, candidates: readonly Candidate[]): Claim {
  const finds = (candidate: Candidate): boolean => candidate.subscriptionId === subscriptionId
  return { field, profileId: null, isKnown: candidates.some(finds), finds }
}

function deviceClaim(
  { deviceId, platform }: { readonly deviceId: string; readonly platform: Platform },
  candidates: readonly Candidate[],
): Claim {
  const finds = (candidate: Candidate): boolean =>
    candidate.platform === platform && candidate.deviceId === deviceId
  return {
    field: PLATFORMS[platform].deviceField ?? 'device',
    profileId: null,
    isKnown: candidates.some(finds),
    finds,
  }
}

function isOneProfile(claims: readonly Claim[]): boolean {
  const [first] = claims
  return claims.every(({ profileId }) => profileId !== null && profileId === first?.profileId)
}
