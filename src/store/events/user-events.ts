import type { EventEntry } from '../../domain/events/entry.ts'
import type { Db } from '../db.ts'
import { type ProfileCall, type SavedProfiles, saveProfiles } from '../people/profile-saving.ts'
import { type Stored, storeEvents } from './intake.ts'
import type { RejectedEntry } from './rejected-entries.ts'

export type UserEventCall = ProfileCall & {
  readonly events: readonly EventEntry[]
  readonly rejected: readonly RejectedEntry[]
}

export type StoredUserEvents = { readonly profiles: SavedProfiles; readonly events: Stored }

/**
 * Saves profiles, then their events, in one transaction. An event dated before its profile was created is stored with the
 * profile's creation time (spec §4.2, E1).
 */
export async function saveUserEvents(tx: Db, call: UserEventCall): Promise<StoredUserEvents> {
  const profiles = await saveProfiles(tx, call)
  const refused = new Set(profiles.refused.map(({ index }) => index))
  const entries = call.events
    .filter(({ index }) => !refused.has(index))
    .map((event) => {
      const at = Math.max(event.at, profiles.createdAt.get(event.index) ?? event.at)
      return { ...event, at, lastAt: null }
    })
  const events = await storeEvents(tx, {
    brandId: call.brandId,
    calls: [{ entries, rejected: call.rejected, isMerging: call.isMerging }],
    findLocks: call.findLocks,
    now: call.now,
  })
  return { profiles, events }
}
