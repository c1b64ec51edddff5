import { encodeJson, type Json } from '../../client/json.ts'
import { type Asked, whereText, wholePeople } from './explore-question.ts'
import type { Names } from './part-columns.tsx'
import { partOf } from './parts.ts'
import { EVER, rowsAddress } from './range.ts'
import type { EventAnswer } from './replies.ts'

/** An answer and the question that it answers. */
export type Answered = { readonly answer: EventAnswer; readonly asked: Asked }

type RowsPart = {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly group?: Json
  /** The groups that are left out. */
  readonly others?: Json
}

/** The address of the events behind a number of the answer: of the whole, of a span, or of a group. Null for one that is too long. */
export function rowsAddressOf({ answer, asked }: Answered): (part: RowsPart) => string | null {
  const { name, segment, parts, where, time } = asked
  const people = wholePeople(asked)
  const first = time.days === null ? EVER : answer.starts[0]
  const last = time.to === undefined ? undefined : answer.to
  return ({ from = first, to = last, group, others }) =>
    shortEnough(
      rowsAddress({
        ...(name === '' ? {} : { name }),
        ...(segment === '' ? {} : { segment }),
        ...(people === null ? {} : { people: encodeJson(people) }),
        ...(where.length === 0 ? {} : { where: whereText(where) }),
        ...(group === undefined && others === undefined ? {} : { by: encodeJson(parts.flatMap(partOf)) }),
        ...(group === undefined ? {} : { group: encodeJson(group) }),
        ...(others === undefined ? {} : { others: encodeJson(others) }),
        from,
        to,
      }),
    )
}

/** The events of a group. Without names it is the rest: the events of none of the groups that are shown. */
export function groupPart(names: Names | null, { groups }: EventAnswer): RowsPart {
  if (names === null) return { others: groups.map(({ by }) => keyOf(by)) }
  return { group: keyOf(names) }
}

function keyOf(names: Names): Json {
  return names.map((one) => one ?? null)
}

export function spanPart({ starts }: EventAnswer, at: number): RowsPart {
  return { from: starts[at], to: starts[at + 1] }
}

/** The span of the time before that has this place. */
export function spanBefore({ before_starts: starts, from: end }: EventAnswer, at: number): RowsPart {
  return { from: starts[at], to: starts[at + 1] ?? end }
}

/** The time before, which ends where the answer begins. */
export function timeBefore({ before_from: from, from: to }: EventAnswer): RowsPart {
  return from === null ? {} : { from, to }
}

/** Groups may have long values and conditions may be many, and a server refuses an address that is longer than the head of a request. */
function shortEnough(address: string): string | null {
  return address.length > ADDRESS_CHARS_MAX ? null : address
}

const ADDRESS_CHARS_MAX = 8_000
