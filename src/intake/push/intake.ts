import { accept, type Result } from '../../domain/result.ts'
import { SharedTurns } from '../../runtime/limits/shared-turns.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { Database, Db } from '../../store/db.ts'
import { type NewNotification, saveNotifications } from '../../store/push/notifications.ts'
import { isRolledBack } from '../../store/rolled-back.ts'
import { type PlannedPush, type Push, planPushes } from './plan.ts'

/** So many that the cost of a transaction is spread thin, so few that nobody waits long for the others. */
const TURN_PUSHES_MAX = 100
/** Enough to keep the database busy while the next turn is being put together. */
const TURNS_MAX = 4
/** With fewer than this waiting, a brand gains more by sharing the next commit than by a second one beside it. */
const SECOND_TURN_PUSHES_MIN = 25
/** Beyond this a caller is better told to come back: at full speed it is about a second of work. */
const WAITING_PUSHES_MAX = 5_000

/**
 * The way of pushes into the database. Those of one brand that arrive together share a transaction; each has its
 * outcome only after that has committed, and one that cannot be stored does not stop the others.
 */
export class PushIntake {
  readonly #database: Database
  readonly #turns: SharedTurns<Push, Result<NewNotification>>

  constructor(database: Database) {
    this.#database = database
    this.#turns = new SharedTurns({
      work: async (brandId, pushes) =>
        database.asBrand(brandId, async (tx) => this.#accept(tx, brandId, pushes)),
      isUndone: isRolledBack,
      weightOf: () => 1,
      turnWeightMax: TURN_PUSHES_MAX,
      turnsMax: TURNS_MAX,
      besideWeightsMin: [SECOND_TURN_PUSHES_MIN],
      waitingWeightMax: WAITING_PUSHES_MAX,
    })
  }

  /** Accepts a push to one subscriber; to count a broadcast's audience could keep the others of its turn waiting. */
  async submit(push: Push): Promise<Result<NewNotification>> {
    return this.#turns.submit(push.brandId, push)
  }

  /** The same for any push, inside a transaction that has more to do. */
  async acceptIn(tx: Db, push: Push): Promise<Result<NewNotification>> {
    const [outcome] = await this.#accept(tx, push.brandId, [push])
    if (outcome === undefined) throw new Error('a push was accepted without an outcome')
    return outcome
  }

  async #accept(
    tx: Db,
    brandId: number,
    pushes: readonly Push[],
  ): Promise<readonly Result<NewNotification>[]> {
    const planned = await planPushes(this.#database, tx, brandId, pushes)
    const outcomes = planned.map((result) => (result.ok ? accept(newNotification(result.value)) : result))
    const accepted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
    await saveNotifications(tx, brandId, accepted)
    return outcomes
  }
}

function newNotification({ push: { draft, now }, plan }: PlannedPush): NewNotification {
  return { id: newId(), draft, plan, now }
}
