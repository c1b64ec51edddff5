import type { Db } from './db.ts'

/** The standbys of the database server, and what a commit waits for. */
export type ReplicationFacts = {
  readonly standbys: number
  /** The standbys that commits may wait for; null when this user may not see it (`pg_monitor`). */
  readonly confirming: number | null
  readonly synchronousNames: string
  readonly synchronousCommit: string
}

/** `trouble`: a request may be acknowledged that a failover loses. */
export type ReplicationState =
  | { readonly kind: 'none' }
  | { readonly kind: 'safe'; readonly detail: string }
  | { readonly kind: 'trouble'; readonly detail: string; readonly advice: string }

export async function loadReplication(db: Db): Promise<ReplicationFacts> {
  const { rows } = await db.query<ReplicationFacts>(
    `select count(pid)::integer as standbys,
       case when count(pid) > count(sync_state) then null
         else count(*) filter (where sync_state in ('sync', 'quorum') and state = 'streaming') end::integer as confirming,
       current_setting('synchronous_standby_names') as "synchronousNames",
       current_setting('synchronous_commit') as "synchronousCommit"
     from pg_stat_replication`,
  )
  const [facts] = rows
  if (facts === undefined) throw new Error('a count came back without a row')
  return facts
}

/**
 * Whether an acknowledged request is on two machines. A single server without standbys promises nothing of the kind, and
 * is not judged.
 */
export function judgeReplication(facts: ReplicationFacts, servers: number): ReplicationState {
  const { standbys, confirming, synchronousNames, synchronousCommit } = facts
  if (servers < 2 && standbys === 0 && synchronousNames === '') return { kind: 'none' }
  if (NOT_AWAITED.has(synchronousCommit)) {
    return trouble(
      `synchronous_commit is ${synchronousCommit}: ${LOSS}`,
      'Set synchronous_commit = on in PostgreSQL.',
    )
  }
  if (standbys === 0) return trouble(`no standby is connected: ${LOSS}`, 'Start the standbys of the cluster.')
  if (synchronousNames === '') {
    return trouble(`${standbys} connected, and commits wait for none: ${LOSS}`, QUORUM)
  }
  if (confirming === 0) return trouble(`${standbys} connected, and none confirms commits`, QUORUM)
  const unseen = confirming === null ? ' (grant pg_monitor to the database user to see which)' : ''
  return {
    kind: 'safe',
    detail: `${confirming ?? standbys} standbys; commits wait for ${synchronousNames}${unseen}`,
  }
}

const NOT_AWAITED: ReadonlySet<string> = new Set(['off', 'local'])
const LOSS = 'a failover can lose acknowledged requests'
const QUORUM =
  "Turn quorum commit on. With Patroni: synchronous_mode: quorum. By hand: synchronous_standby_names = 'ANY 1 (*)'."

function trouble(detail: string, advice: string): ReplicationState {
  return { kind: 'trouble', detail, advice }
}
