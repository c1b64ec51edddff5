import { weekOfTable } from '../../domain/events/week.ts'
import type { OwnerSession } from '../../store/db.ts'
import { findDroppedFiles } from '../../store/event-files/alone-files.ts'
import { copyThawed, emptyShadow, openShadow } from '../../store/event-files/shadow.ts'
import { anyEvents } from '../../store/event-needs.ts'
import { type ThawPlace, thawEvents } from './thaw-pages.ts'

/** Shows the dropped events of the week that a table has, of all brands, page by page, for a backup. */
export function showDroppedOf(place: ThawPlace) {
  return async function* (session: OwnerSession, table: string): AsyncGenerator<void> {
    const week = weekOfTable(table.replace(/^public\./, ''))
    if (week === null) return
    for (const { brandId, ...file } of await findDroppedFiles(session, week)) {
      await openShadow(session)
      const needed = { files: [file], people: null, since: null, until: null }
      for await (const { lines } of thawEvents(place, { need: anyEvents(brandId), needed })) {
        await emptyShadow(session)
        await copyThawed(session, lines, 'pg_temp.cold_events')
        yield
      }
    }
  }
}
