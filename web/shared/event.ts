import { SYSTEM_EVENTS, type SystemEvent } from '../../src/rules/system-events.ts'
import type { Entry } from './outbox.ts'
import type { Row } from './row.ts'

/** Something that happened by itself; it is worth nothing, so that ltv stays what the site says. */
export type Happening = {
  readonly event: SystemEvent
  readonly attributes: Row
  readonly at: number
  /** Given where the same thing could be told twice. */
  readonly id?: string
}

export function systemEntry(
  { event, attributes, at, id = crypto.randomUUID() }: Happening,
  context?: object,
): Entry {
  const command = {
    do: 'event',
    event_name: SYSTEM_EVENTS[event],
    attributes,
    ltv: '0',
    event_id: id,
    context,
  }
  return { id, at, command }
}
