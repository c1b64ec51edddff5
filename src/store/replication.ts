import type { Database, Db } from './db.ts'

/** The standbys of the database server, and what a commit waits for. */
export type ReplicationFacts = {
  /** The connected ones; for a user who may not see them, every connection that reads the write-ahead log. */
  readonly standbys: number
  /** The standbys that commits may wait for; null when this user may not see it (`pg_monitor`). */
  readonly confirming: number | null
  /** The copies of the write-ahead log (`pg_receivewal`) that confirm commits as a standby does. No server has those rows. */
  readonly copies: number
  readonly synchronousNames: string
  readonly synchronousCommit: string
}

/**
 * `trouble`: a request may be acknowledged that is on the disk of one machine only. `unseen`: nobody can tell. `reduced`: all is
 * on two machines, and the loss of one more stops writes or ends that.
 */
export type ReplicationState =
  | { readonly kind: 'none' }
  | { readonly kind: 'safe'; readonly detail: string }
  | { readonly kind: 'trouble' | 'reduced' | 'unseen'; readonly detail: string; readonly advice: string }

/** A standby reports the place that it has replayed, and a copy of the log replays nothing. */
export async function loadReplication(db: Db): Promise<ReplicationFacts> {
  const { rows } = await db.query<ReplicationFacts>(
    `select case when count(pid) > count(sync_state) then count(pid) else count(replay_lsn) end::integer as standbys,
       case when count(pid) > count(sync_state) then null
         else count(replay_lsn) filter (where is_confirming and state = 'streaming') end::integer as confirming,
       count(*) filter (where is_confirming and replay_lsn is null and flush_lsn is not null)::integer as copies,
       current_setting('synchronous_standby_names') as "synchronousNames",
       current_setting('synchronous_commit') as "synchronousCommit"
     from (select *, sync_state in ('sync', 'quorum') as is_confirming from pg_stat_replication) as walsenders`,
  )
  const [facts] = rows
  if (facts === undefined) throw new Error('a count came back without a row')
  return facts
}

/**
 * The same over the pool of a process. The user of the URL asks, because `pg_monitor` is granted to that user and the roles
 * of Beckon inherit nothing. Where roles log in by themselves, the role asks: that server is the embedded one.
 */
export async function loadReplicationAsUser(database: Database): Promise<ReplicationFacts> {
  return database.asEngine(async (tx) => {
    await tx.query('set local role none')
    const facts = await loadReplication(tx)
    await tx.query('set local role to default')
    return facts
  })
}

/**
 * Whether an acknowledged request is on two machines. A single server without standbys promises nothing of the kind, and
 * is not judged.
 */
export function judgeReplication(facts: ReplicationFacts, servers: number): ReplicationState {
  const { standbys, confirming, copies, synchronousNames, synchronousCommit } = facts
  if (servers < 2 && standbys === 0 && synchronousNames === '') return { kind: 'none' }
  if (!ON_DISKS.has(synchronousCommit)) {
    const what = synchronousCommit === 'remote_write' ? UNWRITTEN : LOSS
    return trouble(
      `synchronous_commit is ${synchronousCommit}: ${what}`,
      'Set synchronous_commit = on in PostgreSQL.',
    )
  }
  if (standbys === 0) return trouble(`no standby is connected: ${LOSS}`, 'Start the standbys of the cluster.')
  if (synchronousNames === '') {
    return trouble(`${standbys} connected, and commits wait for none: ${LOSS}`, QUORUM)
  }
  if (confirming === null)
    return { kind: 'unseen', detail: `${standbys} connected, ${UNSEEN}`, advice: GRANT }
  if (confirming === 0) return trouble(`${standbys} connected, and none confirms commits`, QUORUM)
  if (copies > 0) return trouble(`${COPY}: ${LOSS}`, NAMES)
  if (standbys < servers - 1) {
    return {
      kind: 'reduced',
      detail: `${standbys} of ${servers - 1} standbys connected: ${NEXT}`,
      advice: MISSING,
    }
  }
  return { kind: 'safe', detail: `${confirming} standbys; commits wait for ${synchronousNames}` }
}

/** The sentences for a person when acknowledged requests are not known to be on two machines; null when they are. */
export function adviseReplication(state: ReplicationState): string | null {
  return 'advice' in state ? `${state.detail}. ${state.advice}` : null
}

/** The values of `synchronous_commit` with which a standby confirms a commit when the commit is on its disk. */
const ON_DISKS: ReadonlySet<string> = new Set(['on', 'remote_apply'])
const LOSS = 'a failover can lose acknowledged requests'
const UNWRITTEN = 'a standby confirms commits that are not on its disk yet'
const UNSEEN = 'and the database user may not see whether one confirms commits'
const GRANT =
  'Let an administrator of PostgreSQL run: grant pg_monitor to <user>; with the user of DATABASE_URL.'
const NEXT = 'when one more machine is lost, writes stop, or a failover can lose acknowledged requests'
const MISSING =
  'Start the machines that are missing, or take those that are gone for good out of DATABASE_URL.'
const COPY = 'a copy of the write-ahead log (pg_receivewal) confirms commits in place of a standby'
/** Not `*`, which also means a copy of the write-ahead log. */
const NAMES =
  "Name the standbys: synchronous_standby_names = 'ANY 1 (n1, n2, n3)', with the application_name in the primary_conninfo of each."
const QUORUM = `Turn quorum commit on. With Patroni: synchronous_mode: quorum. By hand: ${NAMES}`

function trouble(detail: string, advice: string): ReplicationState {
  return { kind: 'trouble', detail, advice }
}
