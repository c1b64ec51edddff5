import { acceptancesKept, type BrakeKind, blameOf } from '../../domain/push/brake.ts'
import { REFUSED_HOSTS } from '../../rules/channels.ts'
import { BRAKE_REASON } from '../../rules/push.ts'
import { BoundedCache, TtlCache } from '../../runtime/limits/cache.ts'
import { GroupCommit } from '../../runtime/limits/group-commit.ts'
import type { Database } from '../../store/db.ts'
import { type BudgetAnswers, drawBudgets } from '../../store/push/brake.ts'
import { saveChannelFailure } from '../../store/push/channel-failures.ts'
import type { ChannelRef } from '../../store/push/channels.ts'
import { saveHostReport } from '../../store/push/refused-hosts.ts'
import { isRolledBack } from '../../store/retry.ts'
import type { ReadySender } from '../channel-sender.ts'
import type { RecipientVerdict } from '../outcomes.ts'

/** Verdicts in the order in which they came. */
export type Judged = { readonly verdicts: readonly RecipientVerdict[]; readonly now: number }

/** The verdicts whose device must not be retired. */
export type HeldVerdicts = ReadonlySet<RecipientVerdict>

/**
 * Bounds how many devices a wrong setting, or a push host in trouble, can retire. The budgets are in the database, where
 * all workers draw on them. A worker asks for them only after an answer that blames a device, so that a sound broadcast
 * pays nothing; until then it remembers when the last messages were accepted.
 */
export class Brake {
  readonly #database: Database
  /** By budget: the instants of the last acceptances, oldest first. */
  readonly #accepted = new BoundedCache<string, readonly number[]>({ capacity: BUDGETS_MAX })
  readonly #reported = new TtlCache<void>({ ttlMs: REFUSED_HOSTS.noteEveryMs })

  readonly #draws: GroupCommit<string, Draw, HeldVerdicts>

  constructor(database: Database) {
    this.#database = database
    this.#draws = new GroupCommit({
      commit: async (_, draws) => this.#draw(draws),
      weightOf: ({ verdicts }) => verdicts.length,
      isUndone: isRolledBack,
      ...SHARED_DRAWS,
    })
  }

  async hold(ref: ChannelRef, sender: ReadySender, judged: Judged): Promise<HeldVerdicts> {
    const isAnyBlamed = judged.verdicts.some(({ verdict }) => blameOf(verdict) !== null)
    if (!isAnyBlamed) {
      this.#remember(sender, judged.verdicts)
      return NONE_HELD
    }
    const channel = `${ref.brandId} ${ref.platform} ${sender.version}`
    const held = await this.#draws.submit(channel, { ref, sender, ...judged })
    // A report that fails must not look like a draw that was undone, which would be made again.
    await this.#reportHosts(ref, sender, { verdicts: [...held], now: judged.now })
    return held
  }

  /**
   * Draws for all chunks of a channel that have blamed devices meanwhile. Drawing waits for a lock, so that chunks that
   * draw one by one would keep each other waiting.
   */
  async #draw(draws: readonly Draw[]): Promise<readonly HeldVerdicts[]> {
    const [first] = draws
    if (first === undefined) return []
    const { ref, sender } = first
    const now = Math.max(...draws.map((draw) => draw.now))
    const verdicts = draws.flatMap((draw) => draw.verdicts).toSorted((one, other) => one.at - other.at)
    const budgets = this.#budgetsOf(sender, verdicts)
    const mayRetire = await drawBudgets(this.#database, { ...ref, version: sender.version, now }, budgets)
    this.#remember(sender, verdicts)
    const held = budgets.flatMap((budget, place) => heldOf(budget, mayRetire[place] ?? []))
    const all = new Set(held)
    return draws.map((draw) => new Set(draw.verdicts.filter((verdict) => all.has(verdict))))
  }

  /** The budgets that the verdicts draw on: those of which at least one device is blamed. */
  #budgetsOf(sender: ReadySender, verdicts: readonly RecipientVerdict[]): readonly DrawnBudget[] {
    const budgets = new Map<string, DrawnBudget>()
    for (const { recipient, verdict } of verdicts) {
      const kind = blameOf(verdict)
      if (kind === null) continue
      const host = kind === 'setting' ? WHOLE_CHANNEL : sender.hostOf(recipient)
      if (budgets.has(host)) continue
      const known = this.#accepted.get(nameOf(sender, host)) ?? []
      budgets.set(host, { kind, host, answers: known.map(acceptedAt), blamed: [] })
    }
    if (budgets.size === 0) return []
    for (const given of verdicts) addTo(budgets, given, sender)
    // A draw may have waited: an acceptance that is known by now can be later than its blames.
    for (const { answers } of budgets.values()) answers.sort((one, other) => one.at - other.at)
    return [...budgets.values()]
  }

  #remember(sender: ReadySender, verdicts: readonly RecipientVerdict[]): void {
    const channel: number[] = []
    const hosts = new Map<string, number>()
    for (const { recipient, verdict, at } of verdicts) {
      if (verdict.kind !== 'accepted') continue
      channel.push(at)
      hosts.set(sender.hostOf(recipient), at)
    }
    if (channel.length === 0) return
    this.#keep(nameOf(sender, WHOLE_CHANNEL), channel, 'setting')
    for (const [host, at] of hosts) this.#keep(nameOf(sender, host), [at], 'host')
  }

  #keep(name: string, instants: readonly number[], kind: BrakeKind): void {
    const known = this.#accepted.get(name) ?? []
    this.#accepted.set(name, [...known, ...instants].slice(-acceptancesKept(kind)))
  }

  /**
   * The owner of the channel sees at which push hosts the brake holds. A channel with one push host is then failing. An
   * acceptance takes the host off the list, and ends the failure.
   */
  async #reportHosts(ref: ChannelRef, sender: ReadySender, { verdicts, now }: Judged): Promise<void> {
    const certain = verdicts.filter(({ verdict }) => blameOf(verdict) === 'host')
    for (const origin of new Set(certain.map(({ recipient }) => sender.hostOf(recipient)))) {
      await this.#reported.get(nameOf(sender, origin), async () => {
        const channel = { ...ref, version: sender.version }
        if (!sender.hasManyHosts) {
          return saveChannelFailure(this.#database, { ...channel, reason: BRAKE_REASON })
        }
        const report = { refused: [{ host: new URL(origin).host, reason: BRAKE_REASON }], accepted: [] }
        return saveHostReport(this.#database, { ...channel, report, now })
      })
    }
  }
}

/** The verdicts on messages of one chunk, some of which blame a device. */
type Draw = Judged & { readonly ref: ChannelRef; readonly sender: ReadySender }

const NONE_HELD: HeldVerdicts = new Set()

/** Counted in verdicts. The draws of a channel follow each other; those of different channels do not wait. */
const SHARED_DRAWS = {
  batchWeightMax: 2_000,
  batchesMax: Number.POSITIVE_INFINITY,
  keyBatchesMax: 1,
  besideWeightsMin: [0],
  waitingWeightMax: Number.POSITIVE_INFINITY,
} as const

/** The answers to one budget, and the verdicts among them that blame a device. */
type DrawnBudget = BudgetAnswers & {
  readonly answers: BudgetAnswers['answers'][number][]
  readonly blamed: RecipientVerdict[]
}

/** The host that stands for the budget of the channel as a whole. */
const WHOLE_CHANNEL = ''
const BUDGETS_MAX = 20_000

/** An acceptance counts for its push host and for the channel; a blame counts for one of them. */
function addTo(
  budgets: ReadonlyMap<string, DrawnBudget>,
  given: RecipientVerdict,
  { hostOf }: ReadySender,
): void {
  const { recipient, verdict, at } = given
  const kind = blameOf(verdict)
  if (verdict.kind !== 'accepted' && kind === null) return
  const host = kind === 'setting' ? WHOLE_CHANNEL : hostOf(recipient)
  const concerned = verdict.kind === 'accepted' ? [host, WHOLE_CHANNEL] : [host]
  for (const name of concerned) {
    const budget = budgets.get(name)
    budget?.answers.push({ at, isAccepted: verdict.kind === 'accepted' })
    if (verdict.kind !== 'accepted') budget?.blamed.push(given)
  }
}

/** One device too many shows that a setting is wrong: then none of the devices that came with it is retired. */
function heldOf({ kind, blamed }: DrawnBudget, mayRetire: readonly boolean[]): readonly RecipientVerdict[] {
  if (kind === 'setting' && mayRetire.every(Boolean)) return []
  return kind === 'setting' ? blamed : blamed.filter((_, place) => mayRetire[place] !== true)
}

function acceptedAt(at: number) {
  return { at, isAccepted: true }
}

function nameOf({ credential }: ReadySender, host: string): string {
  return `${credential} ${host}`
}
