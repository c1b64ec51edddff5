import type { Journey, SendMessage } from '../../domain/journey-plan.ts'
import { parseJourney } from '../../domain/journey-reading.ts'
import { accept } from '../../domain/result.ts'
import type { Db } from '../db.ts'

export type PlanRef = { readonly journeyId: bigint; readonly version: number }

/** The messages of a version's sends, by step, as they are stored. */
export type StoredMessages = Readonly<
  Record<string, { readonly content: SendMessage['content']; readonly notificationId: string | null }>
>

type VersionRow = PlanRef & { readonly document: unknown; readonly messages: StoredMessages }

const PLANS_MAX = 1_000

/** Stored journeys, ready to be followed. A version never changes, so what was read once is kept; a full book is begun anew. */
export class JourneyPlans {
  readonly #plans = new Map<string, Journey>()

  async load(db: Db, brandId: number, refs: readonly PlanRef[]): Promise<(ref: PlanRef) => Journey> {
    const keyOf = ({ journeyId, version }: PlanRef): string => `${brandId}/${journeyId}/${version}`
    const missing = [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()].filter(
      (ref) => !this.#plans.has(keyOf(ref)),
    )
    if (this.#plans.size + missing.length > PLANS_MAX) this.#plans.clear()
    const rows = missing.length === 0 ? [] : await loadVersions(db, brandId, missing)
    for (const row of rows) this.#plans.set(keyOf(row), planOf(row))
    const found = new Map(this.#plans)
    return (ref) => {
      const plan = found.get(keyOf(ref))
      if (plan === undefined)
        throw new Error(`version ${ref.version} of journey ${ref.journeyId} is not stored`)
      return plan
    }
  }
}

async function loadVersions(
  db: Db,
  brandId: number,
  refs: readonly PlanRef[],
): Promise<readonly VersionRow[]> {
  const { rows } = await db.query<VersionRow>(
    `select v.journey_id as "journeyId", v.version, v.document, v.messages
     from unnest($2::bigint[], $3::integer[]) as wanted (journey_id, version)
     join journey_versions as v
       on v.brand_id = $1 and v.journey_id = wanted.journey_id and v.version = wanted.version`,
    [brandId, refs.map(({ journeyId }) => journeyId), refs.map(({ version }) => version)],
  )
  return rows
}

/** What was stored was parsed before, so if it does not parse now the mistake is ours. */
function planOf({ journeyId, document, messages }: VersionRow): Journey {
  const journey = parseJourney(document, ({ stepId }) => {
    const message = messages[stepId]
    if (message === undefined) throw new Error(`step ${stepId} of journey ${journeyId} lost its message`)
    const { content, notificationId } = message
    return accept({ content, notificationId: notificationId === null ? null : BigInt(notificationId) })
  })
  if (!journey.ok) throw new Error(`the stored journey ${journeyId} does not parse`)
  return journey.value
}
