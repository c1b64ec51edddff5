import type { Db } from '../../../src/store/db.ts'
import { ROLES } from '../../../src/store/roles.ts'

/** Tables that belong to no single brand, and why. `brands` itself is walled by its id. */
const SHARED_TABLES: Readonly<Record<string, string>> = {
  brands: 'is the list of tenants; its own id is the brand',
  commit_marks: 'has the number of the last commit of each connection, whatever the brand',
  delivery_clock:
    'has the latest time that workers have seen, of one clock for all brands; only the engine may read it',
  member_accounts: 'belongs to a member; only the team role may read it',
  member_links: 'belongs to a member, or makes the first one; only the team role may read it',
  member_passkeys: 'belongs to a member; only the team role may read it',
  member_sessions: 'belongs to a member; only the team role may read it',
  member_two_factors: 'belongs to a member; only the team role may read it',
  member_used_codes: 'belongs to a member; only the team role may read it',
  member_verifications: 'is a sign-in under way; only the team role may read it',
  members: 'has the people who sign in, who may be in several brands; only the team role may read it',
  provider_tokens: 'belongs to a credential, which two brands may share; only the engine may read it',
  schema_migrations: 'describes the database, not a tenant',
  sending_hold: 'says whether anything leaves, whatever the brand; only the engine may read it',
}

/** Indexes that do not begin with the brand, and why. */
const CROSS_BRAND_INDEXES: Readonly<Record<string, string>> = {
  api_keys_hash_key: 'a key is looked up before its brand is known',
  campaigns_undecided: 'the loop asks which variants are to be compared, whatever the brand',
  chunks_expiry: 'the sweeper asks what ran out, whatever the brand',
  memberships_member: 'a member asks for the brands to choose from',
  notifications_due_plans: 'the planner asks what is due, whatever the brand',
  notifications_due_sends: 'the planner asks what is due, whatever the brand',
}

/** The roles that every table of a brand has a policy for. */
const WALLED_ROLES = ['beckon_app', 'beckon_engine']

/** Tables of brands that the team role sees whole: a member is looked up before the brand is known. */
const TEAM_TABLES = ['audit', 'brands', 'memberships']

/** What is wrong with the wall between brands, as read from the catalogue; an empty list is a whole wall. */
export async function findTenancyFaults(db: Db): Promise<readonly string[]> {
  const faults: string[] = []
  for (const check of CHECKS) {
    const { rows } = await db.query<{ fault: string }>(check.sql, check.values)
    faults.push(...rows.map(({ fault }) => fault))
  }
  return faults
}

const BRAND_CHECK = `(brand_id = ( SELECT (current_setting('beckon.brand_id'::text))::integer AS current_setting))`

const TABLES = `select oid, relname, relrowsecurity, relforcerowsecurity, relispartition, relowner,
    exists (select from pg_attribute
      where attrelid = pg_class.oid and attname = 'brand_id' and attnotnull) as has_brand
  from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`

/** A partition is reached through its parent, whose policies hold; it is safe as long as nobody may name it. */
const WALLED = `select * from (${TABLES}) as t
  where (has_brand or relname = 'brands') and not (relispartition
    and not has_any_column_privilege('beckon_app', oid, 'select, insert, update')
    and not has_any_column_privilege('beckon_engine', oid, 'select, insert, update'))`

const CHECKS: readonly { readonly sql: string; readonly values: readonly unknown[] }[] = [
  {
    sql: `select relname || ' has no brand_id and is not listed as shared' as fault from (${TABLES}) as t
      where not has_brand and not relname = any($1)`,
    values: [Object.keys(SHARED_TABLES)],
  },
  {
    sql: `select relname || ' does not force row-level security' as fault from (${WALLED}) as t
      where not (relrowsecurity and relforcerowsecurity)`,
    values: [],
  },
  {
    sql: `select relname || ' lacks the policy of ' || role as fault
      from (${WALLED}) as t cross join unnest($1::text[]) as role
      where not exists (select from pg_policies
        where schemaname = 'public' and tablename = relname and roles = array[role]::name[] and cmd = 'ALL')`,
    values: [WALLED_ROLES],
  },
  {
    sql: `select tablename || ' has a policy that is not one of ours: ' || policyname as fault
      from pg_policies where schemaname = 'public' and not (permissive = 'PERMISSIVE' and with_check is null and (
        roles = '{beckon_engine}' and qual = 'true'
        or roles = '{beckon_team}' and qual = 'true' and tablename = any($2)
        or roles = '{beckon_app}' and qual = case tablename
          when 'brands' then replace($1, 'brand_id = ', 'id = ') else $1 end))`,
    values: [BRAND_CHECK, TEAM_TABLES],
  },
  {
    sql: `select relname || ' has an index that does not begin with brand_id: ' || indexrelid::regclass as fault
      from (${TABLES}) as t join pg_index on indrelid = oid
      where has_brand and not indexrelid::regclass::text = any($1)
        and indkey[0] <> (select attnum from pg_attribute where attrelid = oid and attname = 'brand_id')`,
    values: [Object.keys(CROSS_BRAND_INDEXES)],
  },
  {
    // The password hashes and sessions of members are for one role.
    sql: `select relname || ' may be used by ' || role as fault
      from (${TABLES}) as t cross join unnest($1::text[]) as role
      where relname ~ '^member(s$|_)' and has_any_column_privilege(role, oid, 'select, insert, update')`,
    values: [WALLED_ROLES],
  },
  {
    sql: `select rolname || ' is stronger than it may be' as fault from pg_roles
      where rolname = any($1)
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)`,
    values: [ROLES],
  },
  {
    sql: `select member::regrole || ' can become ' || roleid::regrole as fault from pg_auth_members
      where member::regrole::text = any($1)`,
    values: [ROLES],
  },
  {
    sql: `select relname || ' is owned by ' || relowner::regrole as fault from pg_class
      where relowner::regrole::text = any($1)`,
    values: [ROLES],
  },
  {
    // Truncate does not ask the policies.
    sql: `select relname || ' may be truncated by ' || role as fault
      from (${TABLES}) as t cross join unnest($1::text[]) as role
      where has_table_privilege(role, oid, 'truncate')`,
    values: [ROLES],
  },
  {
    sql: `select relname || ' is a view that sees with its owner''s eyes' as fault from pg_class
      where relnamespace = 'public'::regnamespace
        and (relkind = 'm' or relkind = 'v' and not coalesce(reloptions @> '{security_invoker=true}', false))`,
    values: [],
  },
  {
    sql: `select proname || ' runs as its owner, or for everybody' as fault from pg_proc
      where pronamespace = 'public'::regnamespace
        and (prosecdef or has_function_privilege('public', oid, 'execute'))`,
    values: [],
  },
]
