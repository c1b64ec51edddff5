import type { SystemEvent } from '../../src/rules/system-events.ts'
import type { Entry } from './outbox.ts'
import type { Row } from './row.ts'

/** A system event. Its ltv is 0, so that a person's ltv contains only the events of the site. */
export type SystemEventDraft = {
  readonly event: SystemEvent
  readonly attributes: Row
  readonly at: number
  /** Given if the same event could be logged twice. */
  readonly id?: string
}

export function systemEntry(
  { event, attributes, at, id = crypto.randomUUID() }: SystemEventDraft,
  context?: object,
): Entry {
  const command = {
    do: 'event',
    event_name: event,
    attributes,
    ltv: '0',
    event_id: id,
    context,
  }
  return { id, at, command }
}
