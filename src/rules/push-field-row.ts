import type { FieldRow, Shape } from './fields.ts'
import type { Platform } from './platforms.ts'
import type { Presence, PushMode } from './push.ts'

export type PushFieldRow = FieldRow & {
  /**
   * The platforms that have the field; all of them when absent. Another platform ignores the field with a warning, but
   * a broadcast refuses an identifier on every platform.
   */
  readonly platforms?: readonly Platform[]
  /** The shape where platforms differ in it; it takes the place of `shape`. */
  readonly shapeOn?: Readonly<Record<Platform, Shape>>
  readonly modes: Readonly<Record<PushMode, Presence>>
  /** The key of the message (`Content` in `domain/push/message.ts`) that carries the value as it is. */
  readonly content?: string
  /** Whether the field is about the notification that is shown. On a silent notification it has no effect. */
  readonly needsShown?: true
  /** Whether each value of the object is a content, read by the rows of `LANGUAGE_CONTENT`. */
  readonly hasContents?: true
  /** Whether a journey's `send` may set the field. A journey decides by itself whom it notifies, and when. */
  readonly allowedInJourney?: boolean
}

/** A field that every mode may have. */
export const OPTIONAL = { send: 'optional', all: 'optional', segment: 'optional' } as const

/** A field that only broadcasts have. */
export const BROADCAST = { send: 'ignored', all: 'optional', segment: 'optional' } as const
