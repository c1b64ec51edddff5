import type { Database } from '../db.ts'

type SetbackBounds = {
  /** The length of a lease on a chunk. */
  readonly leaseMs: number
  /** The longest pause of a channel. */
  readonly pauseMs: number
}

/**
 * Notices that the database's clock was set back, and moves the instants back with it that workers have set for later:
 * retries, throttles, pauses and leases. Otherwise they would wait as long as the clock was set back. Hours of the day
 * stay. Gives the milliseconds that it moved them by. Callers that notice at once take turns, and the first does the
 * work.
 */
export async function followSetback(database: Database, bounds: SetbackBounds): Promise<number> {
  const { count } = await database.query(GO_ON)
  if (count === 1) return 0
  return database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ seenAt: number; now: number }>(
      `insert into delivery_clock as c (seen_at) values (clock_timestamp())
       on conflict (is_only) do update set seen_at = c.seen_at returning seen_at as "seenAt", clock_timestamp() as now`,
    )
    const [clock] = rows
    if (clock === undefined) throw new Error('the row of the clock is gone')
    const now = new Date(clock.now)
    const backMs = clock.seenAt - clock.now
    await tx.query('update delivery_clock set seen_at = $1', [now])
    if (backMs < SETBACK_MS_MIN) return 0
    for (const text of MOVES) await tx.query(text, [now, backMs, bounds.leaseMs, bounds.pauseMs])
    return backMs
  })
}

/** A clock that is set by a little is no reason to move anything. */
const SETBACK_MS_MIN = 2_000

/** Nearly every look ends here, so it is one statement. */
const GO_ON = {
  name: 'follow_clock',
  text: `update delivery_clock set seen_at = clock_timestamp()
    where seen_at < clock_timestamp() + ${SETBACK_MS_MIN} * interval '1 millisecond'`,
}

/** The first attempt of a chunk that waits for an hour of the day: that hour does not move. */
const HAS_HOUR = `exists (select from notifications as n
  where n.brand_id = chunks.brand_id and n.id = chunks.notification_id
    and (n.best_hour_until is not null or n.is_latest_only and n.wall is not null))`

/** Each statement names all four values, so that one list fits all of them. */
const MOVES = [
  `update chunks set leased_until = case when leased_until is not null
       then least(leased_until, $1::timestamptz + $3 * interval '1 millisecond') end,
     ready_at = case when attempt > 1 or not ${HAS_HOUR}
       then least(ready_at, greatest($1::timestamptz, ready_at - $2 * interval '1 millisecond')) else ready_at end
   where (ready_at > $1::timestamptz or leased_until > $1::timestamptz) and $4::float8 > 0`,
  `update notifications set throttled_until = throttled_until - $2 * interval '1 millisecond'
   where throttled_until > $1::timestamptz and $3::float8 > 0 and $4::float8 > 0`,
  `update channels set retry_at = least(retry_at, $1::timestamptz + $4 * interval '1 millisecond')
   where retry_at > $1::timestamptz and $2::float8 > 0 and $3::float8 > 0`,
]
