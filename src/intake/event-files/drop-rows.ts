import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { Db, OwnerSession } from '../../store/db.ts'
import { type AloneFile, findNeededFiles } from '../../store/event-files/alone-files.ts'
import {
  beginDropping,
  dropRows,
  findOdd,
  noteReplaced,
  openWritten,
  postponeDrop,
} from '../../store/event-files/dropping.ts'
import type { RowRange } from '../../store/event-files/hot-rows.ts'
import { type FrozenFile, replaceFile } from '../../store/event-files/manifest.ts'
import { copyThawed, emptyShadow, indexShadow, openShadow } from '../../store/event-files/shadow.ts'
import { anyEvents } from '../../store/event-needs.ts'
import type { WrittenFile } from './row-files.ts'
import { type ThawPlace, thawEvents } from './thaw-pages.ts'

/** Shows the dropped events of a range beside its rows, and those of no other range, in the transaction that copies them to a new file. */
export async function showDropped(place: ThawPlace, owner: OwnerSession, range: RowRange): Promise<void> {
  const { brandId, firstId, endId } = range
  const need = anyEvents(brandId)
  const needed = await findNeededFiles(owner, need)
  const files = needed.files.filter((file) => file.firstId >= firstId && file.firstId < endId)
  // An export shows one week after the other.
  if ((await openShadow(owner)) === 'used') await emptyShadow(owner)
  if (files.length === 0) return
  await place.duckdb.alone(async () => {
    for await (const { lines } of thawEvents(patient(place), { need, needed: { ...needed, files } })) {
      await copyThawed(owner, lines, 'pg_temp.cold_events')
    }
  })
  await indexShadow(owner, { isBare: false })
}

/** Nobody waits for these pages, and the machine may be busy, so each has the time of a file. */
function patient(place: ThawPlace): ThawPlace {
  return { ...place, pageMsMax: EVENT_FILE_LIMITS.fileMsMax }
}

type Written = {
  readonly range: RowRange
  readonly written: readonly WrittenFile[]
  readonly scratch: string
}

/** The events that the new files would not give back as they are in PostgreSQL, in the transaction of their copy. */
export async function findOddRows(
  duckdb: DuckDbProcess,
  owner: OwnerSession,
  { range, written, scratch }: Written,
): Promise<readonly bigint[]> {
  await openWritten(owner)
  const { brandId, endId } = range
  const files = written.map(
    ({ path, columns, firstId, bytes, sums }): AloneFile => ({
      path: path.slice(scratch.length + 1),
      columns,
      firstId,
      endId,
      events: Number(sums.count),
      bytes,
      sha256: '',
      changed: [],
    }),
  )
  const needed = { files, people: null, since: null, until: null }
  if (files.length > 0) {
    const place = patient({ folder: scratch, cache: null, duckdb })
    await duckdb.alone(async () => {
      for await (const { lines } of thawEvents(place, { need: anyEvents(brandId), needed })) {
        await copyThawed(owner, lines, 'pg_temp.written_events')
      }
    })
  }
  return findOdd(owner, range)
}

type Replacing = {
  readonly range: RowRange
  readonly files: readonly FrozenFile[]
  readonly fence: string
  readonly now: number
  readonly odd: readonly bigint[]
  readonly isDropped: boolean
  readonly replaces: string
}

/**
 * Lists the new files and drops the rows that they have, in one transaction. If too many rows would have to stay, all of them do; where they are
 * dropped already there is no way back, and all rows that are there are few.
 */
export async function replaceRows(owner: OwnerSession, replacing: Replacing): Promise<boolean> {
  const { range, odd, isDropped, replaces } = replacing
  const drops = isDropped || odd.length <= EVENT_FILE_LIMITS.oddRowsMax
  await beginDropping(owner, range)
  const isSaved = await save(owner, { ...replacing, drops })
  await owner.query(isSaved ? 'commit' : 'rollback')
  return isSaved

  async function save(tx: Db, order: Replacing & { readonly drops: boolean }): Promise<boolean> {
    if (!(await replaceFile(tx, replaces, order))) return false
    if (isDropped) await noteReplaced(tx, { brandId: range.brandId, path: replaces, now: order.now })
    if (order.drops) await dropRows(tx, order)
    else await postponeDrop(tx, order)
    return true
  }
}
