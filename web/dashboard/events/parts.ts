import { EVENT_QUERY_LIMITS } from '../../../src/rules/event-queries.ts'
import { CONTEXT_FIELDS } from '../../../src/rules/events.ts'
import type { Input } from '../kit/call.ts'

/** The parts of the context, as the API names them. */
export const CONTEXT_PARTS = [
  ...CONTEXT_FIELDS[''],
  ...CONTEXT_FIELDS.page.map((name) => `page.${name}` as const),
  ...CONTEXT_FIELDS.utm.map((name) => `utm.${name}` as const),
]

/** How many groups are shown. */
export const TOP = {
  usual: EVENT_QUERY_LIMITS.groupsDefault,
  min: 1,
  max: EVENT_QUERY_LIMITS.groupsMax,
} as const

/** Something that events are divided by. The address writes it `attribute:plan`. */
export type Part = NonNullable<NonNullable<Input<'POST /api/v1/events/query'>['body']>['by']>[number]

/** Names of attributes may have commas, so the address has the parts as JSON. */
export function partsIn(text: string): readonly string[] {
  try {
    const list: unknown = text === '' ? [] : JSON.parse(text)
    const parts = Array.isArray(list) ? list.filter((part) => typeof part === 'string') : []
    return parts.filter((part) => partOf(part).length > 0).slice(0, EVENT_QUERY_LIMITS.partsMax)
  } catch {
    // An address that somebody has cut asks for no parts.
    return []
  }
}

export function partsText(parts: readonly string[]): string {
  return parts.length === 0 ? '' : JSON.stringify(parts)
}

/** A part as the API takes it; none for a text that names none. */
export function partOf(written: string): readonly Part[] {
  const at = written.indexOf(':')
  const [kind, name] = [written.slice(0, at), written.slice(at + 1)]
  if (kind === 'event') return [{ event: 'name' }]
  if (kind === 'attribute' && name !== '') return [{ attribute: name }]
  if (kind === 'person' && name !== '') return [{ person: name }]
  const context = kind === 'context' ? CONTEXT_PARTS.find((part) => part === name) : undefined
  return context === undefined ? [] : [{ context }]
}

/** A part in words; the name of the event has a word of its own. */
export function partName(part: string, event: string): string {
  return part === 'event:name' ? event : part.slice(part.indexOf(':') + 1)
}
