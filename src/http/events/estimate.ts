import { costOf, type EventRead, type QuestionCost } from '../../domain/events/question-cost.ts'
import type { Warning } from '../../domain/warning.ts'
import { countReads } from '../../store/events/read-counts.ts'
import { STATEMENT_TIMEOUT_MS } from '../../store/session-settings.ts'
import type { Deps } from '../deps.ts'
import { type Reply, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { Type } from '../schema/schema.ts'

/** The field of every question that asks for its cost alone. */
export const DRY_RUN = Type.Optional(
  Type.Boolean({
    description:
      'Only estimates how many events would be read, and how long that takes. No event is looked at.',
  }),
)

type Estimated = { readonly reads: readonly EventRead[]; readonly warnings: readonly Warning[] }

/** The reply to a dry run. */
export async function replyEstimate(
  deps: Deps,
  request: TenantRequest,
  { reads, warnings }: Estimated,
): Promise<Reply> {
  const cost = await loadCost(deps, request, reads)
  const estimate = {
    events: cost.events,
    seconds: cost.seconds,
    seconds_max: cost.secondsMax,
    is_above_limit: cost.isAboveLimit,
  }
  return replySuccess({ estimate }, { warnings })
}

export async function loadCost(
  { database, eventFiles, clock }: Deps,
  { caller, signal }: TenantRequest,
  reads: readonly EventRead[],
): Promise<QuestionCost> {
  const { brandId } = caller
  const counts = await database.asQuestion({ brandId, signal }, async (tx) =>
    countReads(tx, { brandId, reads, now: clock.now() }),
  )
  // A process that has no place for files reads rows.
  const known = eventFiles === null ? counts.map(({ count }) => ({ count, inFiles: 0, alone: 0 })) : counts
  return costOf(reads, { counts: known, secondsMax: STATEMENT_TIMEOUT_MS / 1_000 })
}

export const ESTIMATE_VIEW = Type.Optional(
  Type.Object(
    {
      events: Type.Integer({
        description:
          'About how many events are read, from hourly counts and the list of event files. An event that is read twice counts twice.',
      }),
      seconds: Type.Integer({ description: 'About how long that takes on a machine of two cores.' }),
      seconds_max: Type.Integer({
        description: 'An answer that takes longer is refused with takes_too_long.',
      }),
      is_above_limit: Type.Boolean({ description: 'Whether seconds is more than seconds_max.' }),
    },
    { description: 'In place of the answer, with dry_run.' },
  ),
)
