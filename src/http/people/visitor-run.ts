import { type Fault, fault } from '../../domain/fault.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { isUserHash, userHash } from '../../runtime/secrets/user-hash.ts'
import type { Db } from '../../store/db.ts'
import type { EventCall, SetAside } from '../../store/events/intake.ts'
import type { RejectedEntry } from '../../store/events/rejected-entries.ts'
import { type SavedProfiles, saveProfiles } from '../../store/people/profile-saving.ts'
import {
  dropDevice,
  ensureVisitor,
  joinVisitor,
  leaveVisitor,
  moveDevice,
  visitorName,
  visitorSince,
} from '../../store/people/visitors.ts'
import { loadSecret } from '../../store/secrets.ts'
import { saveRegistrations } from '../../store/subscriptions/registrations.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../request.ts'
import { IDENTITY_SECRET } from './identity-key.ts'
import type { VisitorCommand, VisitorUser } from './visitor-command.ts'
import { entriesOf, firstAt, groupEvents } from './visitor-events.ts'
import { newVisitorId } from './visitor-id.ts'

export type VisitorCall = {
  readonly caller: Caller
  readonly visitorId: string
  readonly endpoint: string | null
  readonly commands: readonly VisitorCommand[]
  /** Events that were refused, for the brand to look at. */
  readonly rejected: readonly RejectedEntry[]
  readonly now: number
}

export type VisitorOutcome = {
  /** Another than before when the browser changed hands. */
  readonly visitorId: string
  readonly refused: readonly { readonly index: number; readonly fault: Fault }[]
  readonly eventsAside: readonly Omit<SetAside, 'call'>[]
  readonly profilesAside: SavedProfiles['setAside']
}

/** Carries out the commands of one call in a transaction: what happened first is stored first. */
export class VisitorRun {
  readonly #deps: Deps
  readonly #tx: Db
  readonly #call: VisitorCall
  #visitorId: string
  /** Whether the browser now belongs to somebody else than when it last told where it is reached. */
  #isMoved = false
  /** Whether the browser has a profile; one that got a new name has none until it tells something. */
  #isKept = false
  readonly #refused: { readonly index: number; readonly fault: Fault }[] = []
  readonly #eventsAside: Omit<SetAside, 'call'>[] = []
  readonly #profilesAside: SavedProfiles['setAside'][number][] = []

  constructor(deps: Deps, tx: Db, call: VisitorCall) {
    this.#deps = deps
    this.#tx = tx
    this.#call = call
    this.#visitorId = call.visitorId
  }

  async run(): Promise<VisitorOutcome> {
    await this.#keep(firstAt(this.#call.commands, this.#call.now))
    const { rejected, endpoint, now } = this.#call
    if (rejected.length > 0) await this.#store({ entries: [], rejected })
    for (const group of groupEvents(this.#call.commands)) await this.#take(group)
    if (this.#isMoved && endpoint !== null) {
      await this.#keep(now)
      await moveDevice(this.#tx, { ...this.#ref, endpoint, now })
    }
    return {
      visitorId: this.#visitorId,
      refused: this.#refused,
      eventsAside: this.#eventsAside,
      profilesAside: this.#profilesAside,
    }
  }

  get #ref() {
    return { brandId: this.#call.caller.brandId, visitorId: this.#visitorId }
  }

  async #take(group: readonly VisitorCommand[]): Promise<void> {
    const [command] = group
    const { now } = this.#call
    if (command === undefined) return
    switch (command.kind) {
      case 'event':
        return this.#log(group)
      case 'user':
        return this.#identify(command.index, command.user)
      case 'subscribe':
        return this.#subscribe(command)
      case 'unsubscribe':
        return dropDevice(this.#tx, { ...this.#ref, endpoint: command.endpoint, reason: 'asked', now })
      case 'logout':
        await leaveVisitor(this.#tx, this.#ref)
        this.#renew()
        return undefined
      default:
        return unreachable(command)
    }
  }

  async #log(group: readonly VisitorCommand[]): Promise<void> {
    await this.#keep(this.#call.now)
    const since = await visitorSince(this.#tx, this.#ref)
    await this.#store({ entries: entriesOf(group, { visitorId: this.#visitorId, since }), rejected: [] })
  }

  async #store(given: Pick<EventCall, 'entries' | 'rejected'>): Promise<void> {
    const call = { ...given, isMerging: false }
    this.#eventsAside.push(...(await this.#deps.intake.storeIn(this.#tx, this.#ref.brandId, call)))
  }

  async #identify(index: number, user: VisitorUser): Promise<void> {
    const { userId } = user
    if (userId !== null) {
      const flaw = await this.#proofFault(userId, user.userHash)
      if (flaw !== null) {
        this.#refused.push({ index, fault: flaw })
        return
      }
      await this.#join(userId)
    }
    await this.#keep(this.#call.now)
    const { brandId } = this.#ref
    const saved = await saveProfiles(this.#tx, {
      brandId,
      entries: [{ ...user.profile, who: visitorName(this.#visitorId) }],
      isMerging: false,
      findLocks: this.#deps.intake.findLocks(brandId),
      now: this.#call.now,
    })
    this.#refused.push(...saved.refused)
    this.#profilesAside.push(...saved.setAside)
  }

  async #join(userId: string): Promise<void> {
    const { now } = this.#call
    if ((await joinVisitor(this.#tx, { ...this.#ref, userId, now })) === 'joined') return
    // Somebody else was logged in on this browser: it starts anew, and takes nothing of theirs along.
    this.#renew()
    await joinVisitor(this.#tx, { ...this.#ref, userId, now })
  }

  #renew(): void {
    this.#visitorId = newVisitorId()
    this.#isMoved = true
    this.#isKept = false
  }

  async #keep(createdAt: number): Promise<void> {
    if (!this.#isKept) await ensureVisitor(this.#tx, { ...this.#ref, createdAt })
    this.#isKept = true
  }

  async #proofFault(userId: string, given: string | null): Promise<Fault | null> {
    const { brandId, identityVerification } = this.#call.caller
    if (given === null) return identityVerification ? fault('user_unverified', 'user_hash') : null
    const key = await loadSecret(this.#tx, this.#deps.sealer, { brandId, kind: IDENTITY_SECRET })
    const isProved = key !== null && isUserHash(given, userHash(key, userId))
    return isProved ? null : fault('user_unverified', 'user_hash')
  }

  async #subscribe(command: VisitorCommand & { readonly kind: 'subscribe' }): Promise<void> {
    const { registration, previous, index } = command
    const { now } = this.#call
    const { brandId } = this.#ref
    const batch = { brandId, registrations: [registration], now, source: 'device' } as const
    const [outcome] = await saveRegistrations(this.#tx, batch)
    if (outcome?.kind === 'refused') {
      this.#refused.push({ index, fault: outcome.fault })
      return
    }
    const { device } = registration
    if (device.kind !== 'web') return
    await this.#keep(now)
    await moveDevice(this.#tx, { ...this.#ref, endpoint: device.endpoint, now })
    if (previous === null || previous === device.endpoint) return
    await dropDevice(this.#tx, { brandId, endpoint: previous, reason: 'replaced', now })
  }
}
