import type { Registration } from '../../domain/subscriptions/subscription.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../store/db.ts'
import { saveRegistrations } from '../../store/subscriptions/registrations.ts'
import { type ImportReport, importRows, type ListImport } from '../lists/import.ts'

export type SubscriptionImport = Omit<ListImport<Registration>, 'save'> & {
  readonly database: Database
  readonly clock: Clock
  readonly brandId: number
}

/** Registers the devices of a list. A list brings back neither an unsubscribed device nor a dead address. */
export function importSubscriptions(list: SubscriptionImport): AsyncIterable<ImportReport> {
  const { database, clock, brandId, rows, parse } = list
  return importRows({
    rows,
    parse,
    save: async (registrations) =>
      database.asBrand(brandId, async (tx) =>
        saveRegistrations(tx, { brandId, registrations, now: clock.now(), source: 'list' }),
      ),
  })
}
