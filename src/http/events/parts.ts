import { type Fault, fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseFilter } from '../../domain/segments/filter.ts'
import type { WrittenFilter } from '../../domain/segments/segment.ts'
import { isOpenTo } from '../../domain/team/scopes.ts'
import { parseJson } from '../../domain/values/json.ts'
import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import { CONTEXT_FIELDS } from '../../rules/events.ts'
import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import type { EventPart } from '../../store/events/parts.ts'
import type { Caller } from '../request.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'

const NAME = { minLength: 1, maxLength: SEGMENT_LIMITS.attributeCharsMax } as const

/** The parts of `context` that events can be divided by: `language`, `page.url`, `utm.source` … */
const CONTEXT_PATHS = Object.entries(CONTEXT_FIELDS).flatMap(([part, names]) =>
  names.map((name) => (part === '' ? name : `${part}.${name}`)),
)

/** Something that events are divided by, as callers write it. */
export const EVENT_PART = Type.Object(
  {
    event: Type.Optional(Type.Enum(['name'], { description: 'By the name of the event.' })),
    attribute: Type.Optional(Type.String({ ...NAME, description: 'By an attribute of the event.' })),
    context: Type.Optional(Type.Enum([...CONTEXT_PATHS], { description: 'By a part of its context.' })),
    person: Type.Optional(
      Type.String({ ...NAME, description: 'By an attribute that the person has now. Needs profiles:read.' }),
    ),
  },
  { description: 'Exactly one of these fields.' },
)

export function parseParts(given: readonly Static<typeof EVENT_PART>[]): Result<readonly EventPart[]> {
  const parts: EventPart[] = []
  for (const [place, { event, attribute, context, person }] of given.entries()) {
    const named: readonly (EventPart | null)[] = [
      event === undefined ? null : { kind: 'event' },
      attribute === undefined ? null : { kind: 'attribute', name: attribute },
      context === undefined ? null : { kind: 'context', path: context.split('.') },
      person === undefined ? null : { kind: 'person', name: person },
    ]
    const [part, ...others] = named.filter((one) => one !== null)
    if (part === undefined || others.length > 0) {
      const detail = 'it must have exactly one of event, attribute, context, person'
      return reject(fault('field_invalid', `by[${place}]`, { detail }))
    }
    parts.push(part)
  }
  return accept(parts)
}

const WRITTEN = Type.Object({ by: Type.Array(EVENT_PART, { maxItems: EVENT_QUERY_LIMITS.partsMax }) })

/** The parts in the address of a question: JSON. */
export function parseWrittenParts(text: string | undefined): Result<readonly EventPart[]> {
  if (text === undefined) return accept([])
  const parsed = parseBody(WRITTEN, { by: jsonIn(text) })
  return parsed.ok ? parseParts(parsed.value.value.by) : parsed
}

/** JSON in the address of a call. A text that is no JSON stays a text, which the schema refuses. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // JSON can say no only by throwing.
    return text
  }
}

/** The filter of the people whose events are meant; null: everybody. Everything that is told of it has a path from `people` on. */
export function parsePeople(value: unknown): Result<WrittenFilter | null> {
  return (value ?? null) === null ? accept(null) : parseFilter(value, PEOPLE_PATH)
}

export const PEOPLE_PATH = 'people'

/** The refusal of a caller who may read events and nothing of people, for a question that asks about people. */
export function peopleFault({ scopes }: Caller, isAboutPeople: boolean): Fault | null {
  if (!isAboutPeople || isOpenTo(scopes, ['profiles'])) return null
  return fault('scope_missing', null, { scope: 'profiles' })
}
