import { type Fault, fault } from '../../domain/fault.ts'
import { visitorName } from '../../domain/people/identifiers.ts'
import {
  firstEventAt,
  groupEvents,
  type VisitorCommand,
  type VisitorUser,
  visitorEntries,
} from '../../domain/people/visitor-command.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { VISITOR_LIMITS } from '../../rules/people.ts'
import { onFullStep } from '../../runtime/even-timing.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import type { Sealer } from '../../runtime/secrets/sealed.ts'
import { isUserHash, userHash } from '../../runtime/secrets/user-hash.ts'
import type { Database, Db } from '../../store/db.ts'
import type { EventCall } from '../../store/events/intake.ts'
import type { RejectedEntry } from '../../store/events/rejected-entries.ts'
import { saveProfiles } from '../../store/people/profile-saving.ts'
import { loadIdentityVerification } from '../../store/people/unproved.ts'
import {
  dropDevice,
  ensureVisitor,
  joinVisitor,
  leaveVisitor,
  moveDevice,
  proveVisitor,
  visitorSince,
} from '../../store/people/visitors.ts'
import { isRolledBack } from '../../store/retry.ts'
import { IDENTITY_SECRET, loadSealedSecret } from '../../store/secrets.ts'
import { saveRegistrations } from '../../store/subscriptions/registrations.ts'
import type { EventIntake, EventNotices } from '../events/intake.ts'

export type VisitorDeps = {
  readonly database: Database
  readonly intake: EventIntake
  readonly sealer: Sealer
}

export type VisitorCall = {
  readonly brandId: number
  readonly visitorId: string
  /** The push endpoint that the browser has now; null when it has none. */
  readonly endpoint: string | null
  readonly commands: readonly VisitorCommand[]
  /** When the browser's profile was made; null if it has none. */
  readonly since: number | null
  /** Events that were refused, for the brand to look at. */
  readonly rejected: readonly RejectedEntry[]
  readonly now: number
}

export type VisitorOutcome = {
  /** Another than before when the browser changed hands. */
  readonly visitorId: string
  readonly refused: readonly { readonly index: number; readonly fault: Fault }[]
  readonly events: EventNotices
}

/**
 * Carries out the commands of one call, in their order. A call of events alone shares a commit with those of other
 * browsers; any other call has a transaction of its own.
 */
export async function runVisitorCommands(deps: VisitorDeps, call: VisitorCall): Promise<VisitorOutcome> {
  if (!call.commands.some(isUnprovedLogin)) return carryOut(deps, call)
  return onFullStep(VISITOR_LIMITS.loginStepMs, async () => carryOut(deps, call))
}

/** The same statements run for a user who is known and for one who is not (`joinVisitor`); this evens out the rest. */
function isUnprovedLogin(command: VisitorCommand): boolean {
  return command.kind === 'user' && command.user.userId !== null && command.user.userHash === null
}

async function carryOut(deps: VisitorDeps, call: VisitorCall): Promise<VisitorOutcome> {
  if (call.commands.length + call.rejected.length === 0) return unchanged(call)
  if (call.commands.every(({ kind }) => kind === 'event')) return logEvents(deps, call)
  const run = async (): Promise<VisitorOutcome> =>
    deps.database.asBrand(call.brandId, async (tx) => new VisitorRun(deps, tx, call).run())
  // Two browsers of one person may wait for each other's locks; the one that was rolled back simply goes again.
  return run().catch(async (cause: unknown) => {
    if (isRolledBack(cause)) return run()
    throw cause
  })
}

/** The id of a new browser, which nobody can guess. */
export function newVisitorId(): string {
  return Buffer.from(randomBits(VISITOR_LIMITS.idBytes)).toString('base64url')
}

function unchanged({ visitorId }: VisitorCall): VisitorOutcome {
  return { visitorId, refused: [], events: { mistyped: [], duplicates: [], overruled: [], newcomers: [] } }
}

async function logEvents({ database, intake }: VisitorDeps, call: VisitorCall): Promise<VisitorOutcome> {
  const { brandId, visitorId, commands, rejected, since, now } = call
  if (since === null && commands.length > 0) {
    const createdAt = firstEventAt(commands, now)
    await database.asBrand(brandId, async (tx) => ensureVisitor(tx, { brandId, visitorId, createdAt }))
  }
  const entries = visitorEntries(commands, { visitorId, since })
  const events = await intake.submit(brandId, { entries, rejected, isMerging: false })
  return { ...unchanged(call), events }
}

/**
 * The commands of one call in one transaction. The browser is in one of two states:
 *
 *     kept     its visitor id has a profile, to which events and devices belong
 *     renewed  it has a new visitor id without a profile, after a logout or when another person logs in
 *
 * A call begins by making it kept. `#renew` makes it renewed; the next command that needs a profile makes it kept again.
 * A renewed browser never takes anything of the person before along, but its push endpoint, which moves at the end.
 */
class VisitorRun {
  readonly #deps: VisitorDeps
  readonly #tx: Db
  readonly #call: VisitorCall
  #visitorId: string
  /** Whether the browser has a profile under its present visitor id. */
  #isKept = false
  /** Whether its push endpoint may still belong to another profile: after a login, or to the visitor id before. */
  #isMoved = false
  readonly #refused: { readonly index: number; readonly fault: Fault }[] = []
  readonly #events: EventNotices[] = []

  constructor(deps: VisitorDeps, tx: Db, call: VisitorCall) {
    this.#deps = deps
    this.#tx = tx
    this.#call = call
    this.#visitorId = call.visitorId
  }

  async run(): Promise<VisitorOutcome> {
    await this.#keep(firstEventAt(this.#call.commands, this.#call.now))
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
      events: {
        mistyped: this.#events.flatMap(({ mistyped }) => mistyped),
        duplicates: this.#events.flatMap(({ duplicates }) => duplicates),
        overruled: [],
        newcomers: [],
      },
    }
  }

  get #ref() {
    return { brandId: this.#call.brandId, visitorId: this.#visitorId }
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
    await this.#store({ entries: visitorEntries(group, { visitorId: this.#visitorId, since }), rejected: [] })
  }

  async #store(given: Pick<EventCall, 'entries' | 'rejected'>): Promise<void> {
    const call = { ...given, isMerging: false }
    this.#events.push(await this.#deps.intake.storeIn(this.#tx, this.#ref.brandId, call))
  }

  async #identify(index: number, user: VisitorUser): Promise<void> {
    const { userId } = user
    if (userId !== null) {
      const flaw = await this.#proofFault(userId, user.userHash)
      if (flaw !== null) {
        this.#refused.push({ index, fault: flaw })
        return
      }
      await this.#join(userId, user.userHash !== null)
      if (user.userHash !== null) await proveVisitor(this.#tx, this.#ref)
      this.#isMoved = true
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
  }

  async #join(userId: string, isProved: boolean): Promise<void> {
    const login = { userId, isProved, now: this.#call.now }
    if ((await joinVisitor(this.#tx, { ...this.#ref, ...login })) === 'joined') return
    // Somebody else was logged in on this browser: it starts anew, and takes nothing of theirs along.
    this.#renew()
    await joinVisitor(this.#tx, { ...this.#ref, ...login })
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
    const { brandId } = this.#call
    if (given === null) {
      const isRequired = await loadIdentityVerification(this.#tx, brandId)
      return isRequired ? fault('user_unverified', 'user_hash') : null
    }
    const key = await loadSealedSecret(this.#tx, this.#deps.sealer, { brandId, kind: IDENTITY_SECRET })
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
