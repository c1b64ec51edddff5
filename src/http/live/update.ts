import type { TailPosition } from '../../domain/events/tail-position.ts'
import { isOpenTo } from '../../domain/team/scopes.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Scope } from '../../rules/brand.ts'
import { WHOLE_EVENT_SCOPES } from '../../rules/live.ts'

/** A message of the event tail, with the position after it. */
export type TailMessage = { readonly place: TailPosition; readonly text: string }

/**
 * The news of one subject, for all its readers. A state replaces the state before it, so a reader needs only the newest;
 * steps follow one another. Both are rendered as the scopes of a reader allow.
 */
export type LiveUpdate =
  | {
      readonly kind: 'state'
      readonly subject: string
      readonly textFor: (scopes: readonly Scope[]) => string
    }
  | {
      readonly kind: 'step'
      readonly bytes: number
      readonly messagesFor: (scopes: readonly Scope[]) => readonly TailMessage[]
    }

type EventMessage = {
  readonly event: string
  readonly data: object
  /** The position after it, as `Last-Event-ID` brings it back. */
  readonly id?: string
  readonly retryMs?: number
}

/** A server-sent event. JSON has no line breaks, so the data is one line. */
export function eventText({ event, data, id, retryMs }: EventMessage): string {
  const retry = retryMs === undefined ? '' : `retry: ${Math.round(retryMs)}\n`
  const position = id === undefined ? '' : `id: ${id}\n`
  return `${retry}${position}event: ${event}\ndata: ${encodeJson(data)}\n\n`
}

/** A comment: it shows proxies and browsers that the stream lives. */
export const HEARTBEAT = ': \n\n'

export function seesWholeEvents(scopes: readonly Scope[]): boolean {
  return isOpenTo(scopes, WHOLE_EVENT_SCOPES)
}
