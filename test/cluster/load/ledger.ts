import type { LibraryCalls } from './library.ts'
import type { AskedQuestion } from './questions.ts'

/** A push that was acknowledged. Its mark is in its text. */
export type AcknowledgedPush = {
  readonly mark: string
  readonly id: string
  /** The devices that must show it, once. */
  readonly wanted: readonly string[]
}

/** Somebody who entered the journey. The mark is the user id. */
export type Walker = { readonly mark: string; readonly token: string }

/** A person who had a user id and events, and then gave the address of another one. The marks are those of the events. */
export type Merged = { readonly userId: string; readonly email: string; readonly marks: readonly string[] }

/** Events that are asked about, and what was answered. */
export type Asked = {
  said: number
  readonly acknowledgedAt: number[]
  readonly questions: AskedQuestion[]
  /** Questions that Beckon refused while a primary was there. */
  readonly refused: string[]
}

/** All that was acknowledged during a load. Each must be there once, and what was erased not at all. */
export type Ledger = {
  readonly events: string[]
  readonly pushes: AcknowledgedPush[]
  readonly walkers: Walker[]
  /** Ids of imported devices. */
  readonly imported: string[]
  readonly merged: Merged[]
  readonly erased: string[]
  /** The erased people of all rounds on one database: numbers of the brand outlive them. */
  readonly gone: string[]
  readonly library: LibraryCalls
  readonly asked: Asked
}

export function newLedger(gone: string[]): Ledger {
  return {
    events: [],
    pushes: [],
    walkers: [],
    imported: [],
    merged: [],
    erased: [],
    gone,
    library: { acknowledged: 0, rejected: [] },
    asked: { said: 0, acknowledgedAt: [], questions: [], refused: [] },
  }
}

export function acknowledgedCount({ events, pushes, walkers, imported, erased }: Ledger): number {
  return events.length + pushes.length + walkers.length + imported.length + erased.length
}
