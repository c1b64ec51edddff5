import type { Db } from './db.ts'

/** Facts about the database server for the operator. */
export type ServerFacts = {
  /** `18.4`, and as one number to compare: 180004. */
  readonly version: string
  readonly versionNumber: number
  /** Settings that would lose acknowledged writes in a crash or a power cut. */
  readonly unsafeSettings: readonly string[]
  readonly now: number
  readonly connectionsMax: number
  readonly databaseBytes: bigint
}

export async function loadServerFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await db.query<ServerFacts>(
    `select current_setting('server_version') as version,
       current_setting('server_version_num')::integer as "versionNumber",
       array(select name || ' = ' || setting from pg_settings
             where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off'
             order by name) as "unsafeSettings",
       clock_timestamp() as now,
       current_setting('max_connections')::integer as "connectionsMax",
       pg_database_size(current_database()) as "databaseBytes"`,
  )
  const [facts] = rows
  if (facts === undefined) throw new Error('a select without a table came back without a row')
  return facts
}

/** The database, and the roles that bring events without rows into a temporary table and may not make one. */
export type TemporaryRights = { readonly database: string; readonly lacking: readonly string[] }

export async function loadTemporaryRights(db: Db): Promise<TemporaryRights> {
  const { rows } = await db.query<TemporaryRights>(
    `select quote_ident(current_database()) as database,
       array(select quote_ident(role) from unnest(array['beckon_app', 'beckon_engine', current_user::text]) as role
             where not has_database_privilege(role, current_database(), 'temporary') order by role) as lacking`,
  )
  const [rights] = rows
  if (rights === undefined) throw new Error('a select without a table came back without a row')
  return rights
}
