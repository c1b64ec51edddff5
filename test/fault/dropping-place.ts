import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { storePlace } from '../../src/intake/event-files/file-place.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { errorCode } from '../../src/runtime/errors.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { anyEvents, needing } from '../../src/store/event-needs.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { placeOf } from '../support/object-store/place.ts'
import { startS3 } from '../support/object-store/s3-server.ts'

/** `limit`: words of a shell before the process. `duckDbNode`: the program that runs its DuckDB. */
export type DroppingLimits = { readonly limit?: string; readonly duckDbNode?: string }

type Kept = 'folder' | 'object store'

/** A database of its own, because a process forgets files that are not in its place. */
export async function openDropping(kept: Kept) {
  const { url, database, brand, drop } = await freshDatabase()
  const s3 = kept === 'folder' ? null : await startS3()
  const store = s3 === null ? null : new S3Store(placeOf(s3.server))
  const files = await openFiles()
  const { folder, log } = files
  const cache =
    store === null ? null : new FileCache({ folder, bytesMax: 1e9, store, outage: new StoreOutage(log) })
  const opened = { ...files, eventFiles: { ...files.eventFiles, cache } }
  const place = store === null ? undefined : storePlace(folder, store)
  const frozen = await openFrozen({ url, database }, opened, place)
  const cold = frozen.openCold()
  return {
    database,
    brand,
    frozen,
    cold,
    /** Freezes, and drops rows at once. */
    startDropping: ({ limit = '', duckDbNode = '' }: DroppingLimits = {}): ChildProcess => {
      const program = [process.execPath, PROGRAM, url, folder, '0', s3?.server ?? '', '', duckDbNode]
      return spawn('sh', ['-c', `${limit} exec "$0" "$@"`, ...program], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    },
    s3,
    folder,
    /** The files that there are, and those on their way. */
    names: async (): Promise<readonly string[]> => [
      ...(await frozen.names().catch(noneIfGone)),
      ...(s3?.objects.keys() ?? []),
    ],
    close: async (): Promise<void> => {
      await cold.close()
      await frozen.close()
      store?.close()
      await s3?.stop()
      await drop()
    },
  }
}

/** A folder that is removed while it is read; the next look finds it gone. */
function noneIfGone(cause: unknown): readonly string[] {
  if (errorCode(cause) === 'ENOENT') return []
  throw cause
}

export type Opened = Awaited<ReturnType<typeof openDropping>>

export const EVENTS = 1_500
const PROGRAM = join(import.meta.dirname, 'freezing-process.ts')

export type Brand = { readonly brandId: number; readonly stored: readonly string[] }

export async function makeBrand({ brand, frozen }: Opened, place: number): Promise<Brand> {
  const { brandId } = await brand()
  const events = Array.from({ length: EVENTS }, (_, at) =>
    rawEvent(place * EVENTS + at, { receivedAt: frozen.oldAt, attributes: `{"sku": "A-${at % 4}"}` }),
  )
  return { brandId, stored: (await frozen.store(brandId, events)).map(String) }
}

/** The ids of all events, whether they are rows or in files only, and how many are rows. */
export async function found({ cold }: Opened, brandId: number): Promise<readonly string[]> {
  return cold.asEngine(async (tx) => {
    const { rows } = await tx.query<{ id: bigint }>(
      'select id from events where brand_id = $1',
      needing([brandId], anyEvents(brandId)),
    )
    return rows.map(({ id }) => String(id))
  })
}

export async function filesAlone({ database }: Opened): Promise<number> {
  return (await database.query('select from event_files where is_alone')).count
}

/** Gives the events of a person to another, as a merge does. */
export async function moveSome(
  { cold }: Opened,
  { brandId, round }: { readonly brandId: number; readonly round: number },
): Promise<void> {
  await cold.asEngine(async (tx) =>
    tx.query(
      'update events set profile_id = $2 where brand_id = $1 and profile_id = $3',
      needing([brandId, 100 + round, (round % 7) + 1], {
        ...anyEvents(brandId),
        people: [BigInt((round % 7) + 1)],
        use: 'write',
      }),
    ),
  )
}

/** The server ends the sessions of killed processes a moment later, and with them their locks. */
export async function areOthersGone({ database }: Opened): Promise<boolean> {
  const { count } = await database.query(`select from pg_locks where locktype = 'advisory' and database = (
    select oid from pg_database where datname = current_database())`)
  return count === 0
}
