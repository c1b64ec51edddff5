import type { VisitorCommand } from '../../domain/people/visitor-command.ts'
import { VISITOR_BUDGET_SLOT_MS, VISITOR_BUDGET_WINDOW_MS, type VISITOR_BUDGETS } from '../../rules/people.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import { MEASURES } from '../../runtime/measures.ts'
import type { Meter, Metrics } from '../../runtime/metrics.ts'
import type { Database } from '../../store/db.ts'
import { type AttributeName, countNames, findKnownNames } from '../../store/events/names.ts'
import { takeBudgets } from '../../store/rate-limit.ts'

export type VisitorBudgetLimits = Readonly<Record<keyof typeof VISITOR_BUDGETS, number>>

/** The cost of one call of a page, which its budgets must cover before any of its commands is carried out. */
export type VisitorCost = {
  readonly brandId: number
  /** The caller's address, or its network (`networkOf`). */
  readonly network: string
  readonly bytes: number
  /** Commands, refused ones too: those are stored for the brand to look at. */
  readonly rows: number
  readonly commands: readonly VisitorCommand[]
  /** Whether the browser has a profile. */
  readonly isKnown: boolean
}

/** `spent`: nothing of the call may be done. `admitted`: all but the commands that bring too many new names. */
export type VisitorAdmission =
  | {
      readonly kind: 'spent'
      readonly budget: WindowBudget
      readonly max: number
      readonly freesInMs: number
    }
  | { readonly kind: 'admitted'; readonly tooManyNames: ReadonlySet<number> }

const BUDGETS = ['kibibytes', 'rows', 'profiles', 'names'] as const

type WindowBudget = (typeof BUDGETS)[number]

type BudgetOptions = {
  readonly database: Database
  readonly metrics: Metrics
  readonly limits: VisitorBudgetLimits
}

/** As many names as some thousand brands use; a name that is not here is looked up. */
const NAMES_KNOWN_MAX = 100_000

/**
 * Holds what browsers cause to a budget, for each brand and network: everybody has the key of a page, and without a bound
 * one address could fill the disk, the list of names or the list of people. The windows are counted in the database, so
 * they hold over all processes.
 */
export class VisitorBudgets {
  readonly #options: BudgetOptions
  readonly #knownNames = new BoundedCache<string, true>({ capacity: NAMES_KNOWN_MAX })
  readonly #countSpent: Meter<'budget'>

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#countSpent = options.metrics.counter(MEASURES.visitorBudgetsSpent)
    for (const budget of BUDGETS) this.#countSpent({ budget }, 0)
  }

  async charge(cost: VisitorCost): Promise<VisitorAdmission> {
    const { limits } = this.#options
    const newNames = await this.#newNames(cost)
    const amounts = [
      { budget: 'kibibytes', wanted: Math.ceil(cost.bytes / 1024) },
      { budget: 'rows', wanted: cost.rows },
      { budget: 'profiles', wanted: countPeople(cost) },
      { budget: 'names', wanted: newNames.length },
    ] as const
    const asked = amounts.filter(({ wanted }) => wanted > 0)
    const taken = await takeBudgets(this.#options.database, {
      brandId: cost.brandId,
      windowMs: VISITOR_BUDGET_WINDOW_MS,
      slotMs: VISITOR_BUDGET_SLOT_MS,
      buckets: asked.map(({ budget, wanted }) => ({
        bucket: `visitors ${budget} ${cost.network}`,
        wanted,
        limit: limits[budget],
      })),
    })
    let names = 0
    for (const [at, { budget, wanted }] of asked.entries()) {
      const { granted = 0, freesInMs = 0 } = taken[at] ?? {}
      if (budget === 'names') names = granted
      else if (granted < wanted) {
        this.#countSpent({ budget }, 1)
        return { kind: 'spent', budget, max: limits[budget], freesInMs }
      }
    }
    const tooMany = new Set(newNames.slice(await this.#room(cost.brandId, newNames, names)).map(textOf))
    if (tooMany.size > 0) this.#countSpent({ budget: 'names' }, 1)
    const isRefused = (command: VisitorCommand): boolean =>
      namesIn(command).some((name) => tooMany.has(textOf(name)))
    const refused = tooMany.size === 0 ? [] : cost.commands.filter(isRefused)
    return { kind: 'admitted', tooManyNames: new Set(refused.map(({ index }) => index)) }
  }

  /** Names that the brand does not have yet, each once. */
  async #newNames({ brandId, commands }: VisitorCost): Promise<readonly AttributeName[]> {
    const names = new Map(commands.flatMap(namesIn).map((name) => [textOf(name), name]))
    for (const text of names.keys()) {
      if (this.#knownNames.get(`${brandId} ${text}`) !== undefined) names.delete(text)
    }
    if (names.size === 0) return []
    for (const known of await findKnownNames(this.#options.database, brandId, [...names.values()])) {
      this.#knownNames.set(`${brandId} ${textOf(known)}`, true)
      names.delete(textOf(known))
    }
    return [...names.values()]
  }

  /** How many of the new names may come: those of the budget, if the brand has room for them all. */
  async #room(brandId: number, newNames: readonly AttributeName[], granted: number): Promise<number> {
    if (granted === 0) return 0
    const { brandEventNames: eventNames, brandAttributes: attributes } = this.#options.limits
    const has = await countNames(this.#options.database, brandId, { eventNames, attributes })
    const newEvents = newNames.filter(({ attribute }) => attribute === '').length
    const isFull =
      has.eventNames + newEvents > eventNames || has.attributes + newNames.length - newEvents > attributes
    return isFull ? 0 : granted
  }
}

/** Commands that may make a person or a device. */
function countPeople({ commands, isKnown }: VisitorCost): number {
  const makers = commands.filter(
    (command) =>
      command.kind === 'logout' ||
      command.kind === 'subscribe' ||
      (command.kind === 'user' && command.user.userId !== null),
  )
  return makers.length + (isKnown || commands.length === 0 ? 0 : 1)
}

/** An event brings its own name first, so that a budget that is nearly spent goes to whole events. */
function namesIn(command: VisitorCommand): readonly AttributeName[] {
  if (command.kind === 'user') {
    return Object.keys(command.user.profile.attributes).map((attribute) => ({ eventName: '', attribute }))
  }
  if (command.kind !== 'event') return []
  const { name: eventName, attributes } = command.event
  return ['', ...Object.keys(attributes)].map((attribute) => ({ eventName, attribute }))
}

/** No event name has a line break. */
function textOf({ eventName, attribute }: AttributeName): string {
  return `${eventName}\n${attribute}`
}
