import type { Result } from '../../domain/result.ts'
import { GroupCommit } from '../../runtime/limits/group-commit.ts'
import type { Database, Db } from '../../store/db.ts'
import type { NewNotification } from '../../store/push/notifications.ts'
import { isRolledBack } from '../../store/retry.ts'
import { acceptPushes } from './accept.ts'
import type { Push } from './plan.ts'

/** So many that the cost of a transaction is spread thin, so few that nobody waits long for the others. */
const BATCH_PUSHES_MAX = 100
/** Enough to keep the database busy while the next batch is being put together. */
const BATCHES_MAX = 4
/** With fewer than this waiting, a brand gains more by sharing the next commit than by a second one beside it. */
const SECOND_BATCH_PUSHES_MIN = 25
/** Beyond this a caller is better told to come back: at full speed it is about a second of work. */
const WAITING_PUSHES_MAX = 5_000

/**
 * The way of pushes into the database. Those of one brand that arrive together share a transaction; each has its
 * outcome only after that has committed, and one that cannot be stored does not stop the others.
 */
export class PushIntake {
  readonly #database: Database
  readonly #commits: GroupCommit<number, Push, Result<NewNotification>>

  constructor(database: Database) {
    this.#database = database
    this.#commits = new GroupCommit({
      commit: async (brandId, pushes) =>
        database.asBrand(brandId, async (tx) => acceptPushes(database, tx, brandId, pushes)),
      isUndone: isRolledBack,
      batchWeightMax: BATCH_PUSHES_MAX,
      batchesMax: BATCHES_MAX,
      besideWeightsMin: [SECOND_BATCH_PUSHES_MIN],
      waitingWeightMax: WAITING_PUSHES_MAX,
    })
  }

  /** Accepts a push to one subscriber; to count a broadcast's audience could keep the others of its batch waiting. */
  async submit(push: Push): Promise<Result<NewNotification>> {
    return this.#commits.submit(push.brandId, push)
  }

  /** The same for any push, inside a transaction that has more to do. */
  async acceptIn(tx: Db, push: Push): Promise<Result<NewNotification>> {
    const [outcome] = await acceptPushes(this.#database, tx, push.brandId, [push])
    if (outcome === undefined) throw new Error('a push was accepted without an outcome')
    return outcome
  }
}
