import { errorCode } from '../../runtime/errors.ts'
import type { SqlSession } from './session.ts'

/** A place in the write-ahead log of the primary. */
export type LogPlace = {
  readonly lsn: string
  /** A number that grows each time a standby takes over; places of two timelines cannot be compared. Null where a service hides its log. */
  readonly timeline: number | null
  /** When the server was started, by which it is recognized. */
  readonly startedAt: string
}

/** The place that the primary has reached. */
export async function loadPlace(primary: SqlSession): Promise<LogPlace> {
  const { rows } = await primary.query<LogPlace>(placeAnd(TIMELINE)).catch(async (cause: unknown) => {
    if (!HIDDEN.has(errorCode(cause) ?? '')) throw cause
    return primary.query<LogPlace>(placeAnd('null::integer'))
  })
  const [place] = rows
  if (place === undefined) throw new Error('the place in the log came back without a row')
  return place
}

function placeAnd(timeline: string): string {
  return `select pg_current_wal_lsn()::text as lsn, pg_postmaster_start_time()::text as "startedAt", ${timeline} as timeline`
}

/** The name of a file of the write-ahead log begins with the timeline. */
const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer`

/** The right is missing, or the function is. */
const HIDDEN: ReadonlySet<string> = new Set(['42501', '42883', '0A000'])

/** The standby has not replayed what its readers must see, or nobody can tell. They read the primary. */
export class StandbyBehind extends Error {
  readonly code = STANDBY_BEHIND
}

/** The standby does not tell its timeline to the user of the URL, and will not tell it a moment later either. */
export class TimelineHidden extends StandbyBehind {}

export const STANDBY_BEHIND = 'STANDBY_BEHIND'

/** The words of a server for reads about itself. */
export type ReplayState = {
  /** The server is a standby and has replayed the place, if the place is of its timeline. */
  readonly isReplayed: boolean
  readonly isStandby: boolean
  readonly startedAt: string
}

export async function loadReplayState(session: SqlSession, { lsn }: LogPlace): Promise<ReplayState> {
  const { rows } = await session.query<ReplayState>(
    `select pg_is_in_recovery() as "isStandby", pg_postmaster_start_time()::text as "startedAt",
       coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "isReplayed"`,
    [lsn],
  )
  const [state] = rows
  if (state === undefined) throw new Error('the state of a replay came back without a row')
  return state
}

/**
 * The timeline that a standby replays. The receiver of its log knows at once; its row is shown to a user with `pg_monitor` only, and the
 * roles of Beckon inherit nothing from the user of the URL. The control file is for everybody, and is written with the next checkpoint.
 */
export async function loadReplayedTimeline(tx: SqlSession): Promise<number | null> {
  await tx.query('set local role none')
  const { rows } = await tx
    .query<{ timeline: number | null }>(
      `select greatest((select timeline_id from pg_control_checkpoint()),
       (select min_recovery_end_timeline from pg_control_recovery()),
       (select received_tli from pg_stat_wal_receiver)) as timeline`,
    )
    .catch((cause: unknown) => {
      throw HIDDEN.has(errorCode(cause) ?? '')
        ? new TimelineHidden('the standby hides its timeline', { cause })
        : cause
    })
  await tx.query('set local role to default')
  return rows[0]?.timeline ?? null
}
