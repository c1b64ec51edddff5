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
}

export function newLedger(gone: string[]): Ledger {
  return { events: [], pushes: [], walkers: [], imported: [], merged: [], erased: [], gone }
}

export function acknowledgedCount({ events, pushes, walkers, imported, erased }: Ledger): number {
  return events.length + pushes.length + walkers.length + imported.length + erased.length
}
