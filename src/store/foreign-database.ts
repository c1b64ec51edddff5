import { StartError } from '../runtime/errors.ts'
import type { Db } from './db.ts'

type Facts = {
  readonly database: string
  readonly user: string
  readonly owner: string
  readonly mayCreate: boolean
  /** The owner of `schema_migrations`; null when there is no such table. */
  readonly tableOwner: string | null
  readonly mayRead: boolean
  readonly isOurs: boolean
  /** Some table of the schema `public`, except those of extensions. */
  readonly someTable: string | null
}

/**
 * Whether the database has Beckon's list of migrations. Throws when the database belongs to somebody else: to another
 * role, or to another program.
 */
export async function hasMigrations(db: Db): Promise<boolean> {
  const facts = await loadFacts(db)
  const { database, user, owner, tableOwner } = facts
  const instead = `give Beckon a database of its own, for example: create database beckon owner ${user}`
  if (tableOwner !== null && !facts.isOurs) throw foreign(database, 'its table schema_migrations', instead)
  if (tableOwner !== null && !facts.mayRead) {
    throw new StartError(
      `The tables in the database ${database} belong to the role ${tableOwner}, and DATABASE_URL names ${user}: use the role ${tableOwner}, or ${instead}.`,
    )
  }
  if (tableOwner !== null) return true
  if (!facts.mayCreate) {
    throw new StartError(
      `The database ${database} belongs to the role ${owner}, and ${user} may create no tables in it: use the role ${owner}, or ${instead}.`,
    )
  }
  if (facts.someTable !== null) throw foreign(database, `its table ${facts.someTable}`, instead)
  return false
}

function foreign(database: string, sign: string, instead: string): StartError {
  return new StartError(`The database ${database} belongs to another program, as ${sign} shows: ${instead}.`)
}

async function loadFacts(db: Db): Promise<Facts> {
  const { rows } = await db.query<Facts>(
    `with ours as (
       select c.oid, c.relowner from pg_class as c
       where c.relnamespace = to_regnamespace('public') and c.relname = 'schema_migrations'
     )
     select current_database() as database, current_user as user, pg_get_userbyid(d.datdba) as owner,
       has_schema_privilege('public', 'create') as "mayCreate",
       (select pg_get_userbyid(relowner) from ours) as "tableOwner",
       coalesce((select has_table_privilege(oid, 'select') from ours), false) as "mayRead",
       (select count(*) from pg_attribute as a join ours on a.attrelid = ours.oid
         where a.attname in ('version', 'name', 'sha256') and not a.attisdropped) = 3 as "isOurs",
       (select c.relname from pg_class as c
         where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p')
           and not exists (select from pg_depend as e where e.objid = c.oid and e.deptype = 'e')
         order by c.relname limit 1) as "someTable"
     from pg_database as d where d.datname = current_database()`,
  )
  const [facts] = rows
  if (facts === undefined) throw new Error('the server does not know the database of its own session')
  return facts
}
