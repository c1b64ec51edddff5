import { encodeJson } from '../../domain/values/json.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import type { Database } from '../../store/db.ts'
import { listOwnEvents } from '../../store/events/list.ts'
import { loadRecordPage, type Person } from '../../store/people/person.ts'
import { listDevicesOf } from '../../store/subscriptions/subscriptions.ts'
import type { Deps } from '../deps.ts'
import { type Reply, replySuccess } from '../reply.ts'
import { renderSubscription } from '../subscriptions/view.ts'
import { type PersonRecord, renderOwnEvent, renderPerson } from './view.ts'

/**
 * The reply of `userData`. The record has a page of each kind. If one of them has more, the reply is streamed, page by
 * page at the caller's pace, so that it holds every row of a person with any number of them.
 */
export function replyPerson({ database }: Deps, brandId: number, record: PersonRecord): Reply {
  const full = fullKinds(record)
  if (full.length === 0) return replySuccess({ profile: renderPerson(record) })
  const body = writePerson(database, { brandId, record, full })
  return { status: 200, body, headers: { 'content-type': 'application/json; charset=utf-8' } }
}

const PAGE_ROWS = PROFILE_LIMITS.recordsMax

/** The kinds of records of which there may be more. */
function fullKinds({ records, events, devices }: PersonRecord): readonly string[] {
  const kinds = Object.entries({ ...records, events, subscriptions: devices })
  return kinds.filter(([, { hasMore }]) => hasMore).map(([kind]) => kind)
}

type LongRecord = {
  readonly brandId: number
  readonly record: PersonRecord
  readonly full: readonly string[]
}

/** `records` comes last in the profile and the profile last in the reply, so that the long kinds follow the others. */
async function* writePerson(database: Database, long: LongRecord): AsyncGenerator<string> {
  const { records, ...profile } = renderPerson(long.record)
  const short = Object.entries(records).filter(([kind]) => !long.full.includes(kind))
  const { body } = replySuccess({ profile: { ...profile, records: Object.fromEntries(short) } })
  yield encodeJson(body).slice(0, -ENDING.length)
  for (const kind of long.full) {
    let comma = ''
    yield `,"${kind}":[`
    for await (const rows of pagesOf(database, long, kind)) {
      yield comma + rows.map((row) => encodeJson(row)).join(',')
      comma = ','
    }
    yield ']'
  }
  yield ENDING
}

/** The ends of the records, of the profile and of the reply. */
const ENDING = '}}}'

async function* pagesOf(
  database: Database,
  { brandId, record }: LongRecord,
  kind: string,
): AsyncGenerator<readonly object[]> {
  const profileIds = record.person.ids
  const page = { brandId, profileIds, limit: PAGE_ROWS }
  if (kind === 'events') {
    for (let events = record.events; events.rows.length > 0; ) {
      yield events.rows.map(renderOwnEvent)
      const before = events.rows.at(-1) ?? null
      events = await database.asBrand(brandId, async (tx) => listOwnEvents(tx, { ...page, before }))
    }
  } else if (kind === 'subscriptions') {
    for (let devices = record.devices; devices.rows.length > 0; ) {
      yield devices.rows.map(renderSubscription)
      const afterId = devices.rows.at(-1)?.id ?? 0n
      devices = await database.asBrand(brandId, async (tx) => listDevicesOf(tx, { ...page, afterId }))
    }
  } else yield* tablePages(database, { brandId, ...record.person }, kind)
}

async function* tablePages(
  database: Database,
  person: Pick<Person, 'ids' | 'names'> & { readonly brandId: number },
  table: string,
): AsyncGenerator<readonly object[]> {
  let [offset, isMore] = [0, true]
  while (isMore) {
    const from = { table, offset }
    const page = await database.asBrand(person.brandId, async (tx) => loadRecordPage(tx, person, from))
    if (page === null || page.rows.length === 0) return
    yield page.rows
    offset += page.rows.length
    isMore = page.hasMore
  }
}
