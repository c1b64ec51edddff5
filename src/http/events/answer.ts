import { arrangeCells, type MeasuredLine } from '../../domain/events/query-answer.ts'
import { edgeTexts } from '../../domain/series/spans.ts'
import { prepareFilter } from '../../intake/segments/size.ts'
import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import type { Db } from '../../store/db.ts'
import { type EventQuestion, guessEvents, measureEvents } from '../../store/events/measuring.ts'
import { areAboutPeople } from '../../store/events/parts.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { nameWarnings } from '../segments/warnings.ts'
import { peopleFault } from './parts.ts'
import { type ParsedQuestion, parseQuestion, QUESTION_BODY } from './question.ts'

/** POST /api/v1/events/query */
export async function queryEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(QUESTION_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { brandId, timeZone: brandZone } = request.caller
  const asked = parseQuestion(parsed.value.value, { brandId, brandZone, now: deps.clock.now() })
  if (!asked.ok) return refuse(asked.rejection)
  const { people: written } = asked.value
  const lacking = peopleFault(request.caller, written !== null || areAboutPeople(asked.value.parts))
  if (lacking !== null) return refuse({ faults: [lacking] })
  const people = written === null ? null : await prepareFilter(deps, { brandId, filter: written, self: null })
  if (people !== null && !people.ok) return refuse(people.rejection)

  const question = { ...asked.value, people: people?.value ?? null }
  const named = written === null ? [] : await nameWarnings(deps, brandId, written)
  const warnings = [...parsed.value.warnings, ...named]
  if (parsed.value.value.dry_run === true) {
    const events = await ask(deps, question, async (db) => guessEvents(db, question))
    const seconds = Math.ceil(events / EVENT_QUERY_LIMITS.eventsPerSecond)
    return replySuccess({ estimate: { events, seconds } }, { warnings })
  }
  const cells = await ask(deps, question, async (db) => measureEvents(db, question))
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

/** A filter of people is asked as the engine, because row-level security would keep it from its indexes. */
async function ask<Value>(
  { database }: Deps,
  { brandId, people }: EventQuestion,
  work: (db: Db) => Promise<Value>,
): Promise<Value> {
  return people === null ? database.asReader(brandId, work) : work(database.reader)
}

function renderRange({ zone, measure, every, presentEdges, edges, spansBefore }: AskedQuestion) {
  const texts = edgeTexts(zone, presentEdges)
  return {
    measure,
    every,
    time_zone: zone,
    from: texts[0],
    to: texts.at(-1),
    before_from: spansBefore === 0 ? null : edgeTexts(zone, edges)[0],
    starts: texts.slice(0, -1),
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
  estimate: Type.Optional(
    Type.Object(
      {
        events: Type.Integer({ description: 'About how many events are read.' }),
        seconds: Type.Integer({ description: 'About how long that takes on a machine of two cores.' }),
      },
      { description: 'In place of the answer, with dry_run.' },
    ),
  ),
})
