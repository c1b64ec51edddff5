import { databaseUrl, integer } from './setting.ts'
import type { Read } from './setting-row.ts'

/** Settings of the operator's own PostgreSQL. */
export function databaseSettings(read: Read) {
  return {
    databaseUrl: read<string | null>({
      name: 'DATABASE_URL',
      parse: databaseUrl('writes'),
      default: null,
      unset: 'an embedded PostgreSQL',
      meaning:
        'Your PostgreSQL 18, as postgres://user:password@host:port/database. Several hosts, as host1,host2:5433,host3, are the servers of one cluster; Beckon finds the one that takes writes. sslmode, sslrootcert, sslcert and sslkey mean what they mean in libpq.',
    }),
    databaseConnections: read({
      name: 'BECKON_DATABASE_CONNECTIONS',
      parse: integer(2, 200),
      default: 10,
      meaning:
        'Connections in each of the two pools of a process: one pool for requests, one for work across brands. With the other connections of a process PostgreSQL must allow 5 more than twice this number for each API process, and 11 more for each worker (docs/cluster.md).',
    }),
    databaseReadUrl: read<string | null>({
      name: 'BECKON_DATABASE_READ_URL',
      parse: databaseUrl('reads'),
      default: null,
      unset: 'the primary',
      meaning:
        'A standby of the same cluster, or several, for reads that may be a little old: event statistics, funnels, retention, series, exports of events, and previews of segments. The roles are the same. It has no effect while BECKON_EVENT_ROWS_DAYS is set.',
    }),
    databaseReadLagMs: read({
      name: 'BECKON_DATABASE_READ_LAG_MS',
      parse: integer(100, 3_600_000),
      default: 5_000,
      meaning:
        'How many milliseconds such a read may be behind. While the standby is further behind, or away, the primary answers.',
    }),
  }
}
