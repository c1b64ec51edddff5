import type { EventRead, QuestionCost } from '../../domain/events/question-cost.ts'
import type { WeeksRead } from '../../domain/events/week-parts.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { QuestionWatch } from '../../intake/event-files/ask-files.ts'
import { withinLimit } from '../../intake/events/within-limit.ts'
import { systemSleep } from '../../runtime/clock.ts'
import type { Deps } from '../deps.ts'
import { replyFailure } from '../edge/failure.ts'
import { NDJSON } from '../lists/answer.ts'
import type { Reply } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { Type } from '../schema/schema.ts'
import { loadCost } from './estimate.ts'

/** The field of every question that asks for its progress. */
export const PROGRESS = Type.Optional(
  Type.Boolean({
    description:
      'Answers with NDJSON: about every second a line with `progress`, and the reply as the last line. Its status_code tells whether it is an answer.',
  }),
)

type Asked = { readonly isWanted: boolean | undefined; readonly reads: readonly EventRead[] }

/**
 * Answers a question; line by line if its progress is wanted. The status is sent before the work is done, so the last line is the
 * reply proper. The reply keeps its lane until the work is over.
 */
export async function replyWithProgress(
  deps: Deps,
  request: TenantRequest,
  { isWanted, reads }: Asked,
  work: (watch: QuestionWatch) => Promise<Reply>,
): Promise<Reply> {
  if (isWanted !== true) return withinLimit(request, async (limited) => work({ ...limited, tell: null }))
  const cost = await loadCost(deps, request, reads)
  let weeks: WeeksRead | null = null
  const tell = (news: WeeksRead | null): void => {
    weeks = news
  }
  const done = withinLimit(request, async (limited) => work({ ...limited, tell })).catch((cause: unknown) =>
    replyFailure(deps, { ...request, lane: 'reads', isRead: true }, cause),
  )
  const startedAt = deps.clock.now()
  const progressNow = (): object =>
    renderProgress(cost, { seconds: Math.floor((deps.clock.now() - startedAt) / 1_000), weeks })
  return {
    status: 200,
    body: linesOf(request, done, progressNow),
    headers: { 'content-type': NDJSON },
    workDone: done,
  }
}

async function* linesOf(
  { id, signal }: TenantRequest,
  done: Promise<Reply>,
  progressNow: () => object,
): AsyncGenerator<string> {
  while (!signal.aborted) {
    yield lineOf({ progress: progressNow() })
    const reply = await Promise.race([done, systemSleep(LINE_MS, signal).then(() => null)])
    if (reply !== null) break
  }
  const { body } = await done
  if (typeof body === 'object' && body !== null) yield lineOf({ ...body, request_id: id })
}

const LINE_MS = 1_000

function lineOf(value: object): string {
  return `${encodeJson(value)}\n`
}

function renderProgress(
  { seconds: expected, secondsMax }: QuestionCost,
  { seconds, weeks }: { readonly seconds: number; readonly weeks: WeeksRead | null },
): object {
  return {
    seconds,
    seconds_expected: expected,
    seconds_max: secondsMax,
    weeks_read: weeks?.read ?? null,
    weeks: weeks?.of ?? null,
  }
}

const WEEKS = Type.Union([Type.Integer(), Type.Null()])

export const PROGRESS_VIEW = Type.Optional(
  Type.Object(
    {
      seconds: Type.Integer({ description: 'How long the question has been at work.' }),
      seconds_expected: Type.Integer({ description: 'The estimate, as with dry_run.' }),
      seconds_max: Type.Integer({
        description: 'An answer that takes longer is refused with takes_too_long.',
      }),
      weeks_read: WEEKS,
      weeks: WEEKS,
    },
    {
      description:
        'A line of the reply, with progress. Weeks are those in which the events were received; in rows, a question with groups reads each of them twice. They are null while it is not known how far a question is: rows of funnels, retentions and paths are not read week by week.',
    },
  ),
)
