import { arrangeCells, type MeasuredCell, type MeasuredLine } from '../../domain/events/query-answer.ts'
import { readsOfQuestion } from '../../domain/events/question-cost.ts'
import { edgeTexts } from '../../domain/series/spans.ts'
import type { Warning } from '../../domain/warning.ts'
import { askMeasure } from '../../intake/events/measure.ts'
import { prepareFilter } from '../../intake/segments/size.ts'
import { areAboutPeople } from '../../store/events/parts.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { nameWarnings } from '../segments/warnings.ts'
import { ESTIMATE_VIEW, replyEstimate } from './estimate.ts'
import { PEOPLE_PATH, peopleFault } from './parts.ts'
import { PROGRESS_VIEW, replyWithProgress } from './progress.ts'
import { type ParsedQuestion, parseQuestion, QUESTION_BODY } from './question.ts'

/** POST /api/v1/events/query */
export async function queryEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(QUESTION_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { brandId, timeZone: brandZone } = request.caller
  const read = parseQuestion(parsed.value.value, { brandId, brandZone, now: deps.clock.now() })
  if (!read.ok) return refuse(read.rejection)
  const { people: written } = read.value
  const lacking = peopleFault(request.caller, written !== null || areAboutPeople(read.value.parts))
  if (lacking !== null) return refuse({ faults: [lacking] })
  const people =
    written === null ? null : await prepareFilter(deps, { brandId, filter: written, self: null }, PEOPLE_PATH)
  if (people !== null && !people.ok) return refuse(people.rejection)

  const question = { ...read.value, people: people?.value ?? null }
  const named = written === null ? [] : await nameWarnings(deps, brandId, written, PEOPLE_PATH)
  const warnings = [...parsed.value.warnings, ...named]
  const reads = readsOfQuestion(question)
  const { dry_run: isDry, progress: isWanted } = parsed.value.value
  if (isDry === true) return replyEstimate(deps, request, { reads, warnings })
  return replyWithProgress(deps, request, { isWanted, reads }, async (watch) =>
    replyAnswer(question, await askMeasure(deps, { ...watch, question }), warnings),
  )
}

function replyAnswer(
  question: AskedQuestion,
  cells: readonly MeasuredCell[],
  warnings: readonly Warning[],
): Reply {
  const answer = arrangeCells(cells, {
    spans: question.presentEdges.length - 1,
    hasBefore: question.spansBefore > 0,
    none: question.measure === 'average' || question.measure === 'percentile' ? null : 0,
  })
  const { total, groups, rest } = answer
  const shown = {
    ...renderRange(question),
    total: renderLine(total),
    groups: groups.map(({ key, ...line }) => ({ by: key, ...renderLine(line) })),
    rest: rest === null ? null : { groups: rest.groups, ...renderLine(rest) },
  }
  return replySuccess({ answer: shown }, { processed: groups.length, warnings })
}

function renderRange({ zone, measure, every, presentEdges, edges, spansBefore }: AskedQuestion) {
  const texts = edgeTexts(zone, presentEdges)
  const beforeStarts = edgeTexts(zone, edges).slice(0, spansBefore)
  return {
    measure,
    every,
    time_zone: zone,
    from: texts[0],
    to: texts.at(-1),
    before_from: beforeStarts[0] ?? null,
    starts: texts.slice(0, -1),
    before_starts: beforeStarts,
  }
}

type AskedQuestion = Omit<ParsedQuestion, 'people'>

function renderLine({ value, values, before }: MeasuredLine): object {
  return {
    value,
    values,
    before: before === null ? null : { value: before.value, values: before.values },
  }
}

const EDGE = Type.String({ format: 'date-time' })
const NUMBER = Type.Union([Type.Number(), Type.Null()], {
  description: 'Null when there was nothing to average.',
})
const NUMBERS = Type.Array(NUMBER, { description: 'One number for each span.' })
const LINE = {
  value: NUMBER,
  values: NUMBERS,
  before: Type.Union([Type.Object({ value: NUMBER, values: NUMBERS }), Type.Null()], {
    description: 'The same for the period before; null without compare.',
  }),
}

export const ANSWER_VIEW = Type.Object({
  answer: Type.Optional(
    Type.Object({
      measure: Type.String(),
      every: Type.Union([Type.String(), Type.Null()]),
      time_zone: Type.String(),
      from: EDGE,
      to: EDGE,
      before_from: Type.Union([EDGE, Type.Null()], {
        description: 'The beginning of the period before; it ends at `from`.',
      }),
      starts: Type.Array(EDGE, { description: 'The beginning of each span, with the offset of the zone.' }),
      before_starts: Type.Array(EDGE, {
        description: 'The same for the period before; empty without compare.',
      }),
      total: Type.Object(LINE),
      groups: Type.Array(
        Type.Object({
          by: Type.Array(Type.Unknown(), { description: 'The values of the group, in the order of `by`.' }),
          ...LINE,
        }),
      ),
      rest: Type.Union(
        [
          Type.Object({ groups: Type.Integer({ description: 'How many groups are not shown.' }), ...LINE }),
          Type.Null(),
        ],
        { description: 'All groups that are not shown, as one; null when all are shown.' },
      ),
    }),
  ),
  estimate: ESTIMATE_VIEW,
  progress: PROGRESS_VIEW,
})
