import type { Fault } from '../../domain/fault.ts'
import {
  otherPlatform,
  planRegistrations,
  type Waiting,
} from '../../domain/subscriptions/registration-plan.ts'
import type { Registration } from '../../domain/subscriptions/subscription.ts'
import type { Db } from '../db.ts'
import { ensureProfiles } from '../people/user-profiles.ts'
import { lockDevices, lockNames } from './registration-locks.ts'
import { insertDevices, removeDevices, updateDevices } from './registration-rows.ts'

/** Where the registration comes from. */
export type RegistrationSource = 'device' | 'list'

export type RegistrationBatch = {
  readonly brandId: number
  readonly registrations: readonly Registration[]
  readonly now: number
  /**
   * `device`: the device itself registers, so it is live, whatever its state was. `list`: an imported list names it; a
   * list revives neither a person who unsubscribed nor an address that was found dead.
   */
  readonly source: RegistrationSource
}

export type RegistrationOutcome =
  | { readonly kind: 'new' | 'known'; readonly id: bigint }
  | { readonly kind: 'refused'; readonly fault: Fault }

/**
 * Stores registrations so that one device stays one row, even when others register it at the same time; call it in a
 * transaction. The outcomes are in the order of the registrations.
 *
 * The locks on names make this safe: a transaction writes a name only while it has locked that name, so the rows that
 * are found after locking are all there are.
 */
export async function saveRegistrations(
  tx: Db,
  batch: RegistrationBatch,
): Promise<readonly RegistrationOutcome[]> {
  const outcomes = await refuseStrangers(tx, batch)
  let waiting: readonly Waiting[] = batch.registrations.flatMap((registration, at) =>
    outcomes.has(at) ? [] : [{ at, registration }],
  )
  // Profiles are locked before devices, here and wherever both are written, so that no two transactions wait for each
  // other in a circle.
  const profiles = await ensureProfiles(tx, { ...batch, userIds: userIdsOf(waiting) })
  await lockNames(tx, batch)

  let turn = waiting
  // Every pass settles at least the first waiting registration. After the first pass only registrations that meet each
  // other are left, often all of one device, so only a limited number is looked at in each pass.
  while (turn.length > 0) {
    const registrations = turn.map(({ registration }) => registration)
    const plan = planRegistrations(turn, await lockDevices(tx, { ...batch, registrations }))
    for (const { at, fault } of plan.refused) outcomes.set(at, { kind: 'refused', fault })
    await removeDevices(tx, batch.brandId, plan.removed)
    const save = { ...batch, profiles, placed: plan.placed }
    for (const { at, id } of await updateDevices(tx, save)) outcomes.set(at, { kind: 'known', id })
    for (const { at, id } of await insertDevices(tx, save)) outcomes.set(at, { kind: 'new', id })
    waiting = [...plan.later, ...waiting.slice(turn.length)]
    turn = waiting.slice(0, MEETING_MAX)
  }
  return batch.registrations.map((_, at) => outcomeAt(outcomes, at))
}

const MEETING_MAX = 100

function outcomeAt(outcomes: ReadonlyMap<number, RegistrationOutcome>, at: number): RegistrationOutcome {
  const outcome = outcomes.get(at)
  if (outcome === undefined) throw new Error(`registration ${at} was neither stored nor refused`)
  return outcome
}

/**
 * Refuses registrations that name a subscription on another platform, before profiles are made: a refused request must
 * make nobody known. A subscription that is stored at this very moment is found later, by the plan.
 */
async function refuseStrangers(
  tx: Db,
  { brandId, registrations }: RegistrationBatch,
): Promise<Map<number, RegistrationOutcome>> {
  const named = registrations.flatMap(({ subscriptionId, device: { kind } }, at) =>
    subscriptionId === null ? [] : [{ at, subscriptionId, platform: kind }],
  )
  if (named.length === 0) return new Map()
  const { rows } = await tx.query<{ at: number; platform: string }>(
    `select given.at, known.platform
     from unnest($2::integer[], $3::text[], $4::text[]) as given (at, subscription_id, platform)
     cross join lateral (
       select platform from subscriptions where brand_id = $1 and subscription_id = given.subscription_id limit 1
     ) as known
     where known.platform <> given.platform`,
    [
      brandId,
      named.map(({ at }) => at),
      named.map(({ subscriptionId }) => subscriptionId),
      named.map(({ platform }) => platform),
    ],
  )
  return new Map(rows.map(({ at, platform }) => [at, { kind: 'refused', fault: otherPlatform(platform) }]))
}

function userIdsOf(waiting: readonly Waiting[]): readonly string[] {
  return waiting.flatMap(({ registration: { userId } }) => (userId === null ? [] : [userId]))
}
