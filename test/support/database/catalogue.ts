import type { Db } from '../../../src/store/db.ts'

/**
 * Everything in the public schema as sorted lines of text, for comparing two databases. The order of columns is
 * left out: a migration can only add one at the end.
 */
export async function describeCatalogue(db: Db): Promise<readonly string[]> {
  const lines: string[] = []
  for (const query of FACTS) {
    const { rows } = await db.query<{ fact: string }>(query)
    lines.push(...rows.map(({ fact }) => fact))
  }
  return lines.toSorted()
}

const RELATION = `pg_class as relation
  join pg_namespace as space on space.oid = relation.relnamespace and space.nspname = 'public'`

/** One query per kind of thing; concat_ws leaves out what is null. */
const FACTS = [
  `select concat_ws(' ', 'relation', relname, relkind, 'rls', relrowsecurity, relforcerowsecurity,
     reloptions::text, pg_get_partkeydef(relation.oid), pg_get_expr(relpartbound, relation.oid),
     case when relkind in ('v', 'm') then pg_get_viewdef(relation.oid) end) as fact
   from ${RELATION} where relkind <> 'i'`,
  `select concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod),
     case when attnotnull then 'not null' end, 'identity ' || nullif(attidentity::text, ''),
     'generated ' || nullif(attgenerated::text, ''), 'default ' || pg_get_expr(adbin, adrelid),
     'collation ' || (select collname from pg_collation where oid = attcollation and collname <> 'default')) as fact
   from ${RELATION} join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
   left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where relkind in ('r', 'p', 'v', 'm')`,
  `select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid)) as fact
   from ${RELATION} join pg_constraint on conrelid = relation.oid`,
  `select concat_ws(' ', 'index', relname, pg_get_indexdef(indexrelid)) as fact
   from ${RELATION} join pg_index on indrelid = relation.oid`,
  `select concat_ws(' ', 'policy', tablename, policyname, permissive, cmd, roles::text, 'using', qual,
     'check', with_check) as fact
   from pg_policies where schemaname = 'public'`,
  `select concat_ws(' ', 'grant', relname, grantee::regrole, privilege_type, is_grantable) as fact
   from ${RELATION}, aclexplode(relacl)`,
  `select concat_ws(' ', 'grant', relname, attname, grantee::regrole, privilege_type, is_grantable) as fact
   from ${RELATION} join pg_attribute on attrelid = relation.oid and not attisdropped, aclexplode(attacl)`,
  `select concat_ws(' ', 'function', pg_get_functiondef(pg_proc.oid)) as fact
   from pg_proc where pronamespace = 'public'::regnamespace and prokind <> 'a'`,
  `select concat_ws(' ', 'grant', proname, grantee::regrole, privilege_type) as fact
   from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
   where pronamespace = 'public'::regnamespace`,
  `select concat_ws(' ', 'trigger', relname, pg_get_triggerdef(pg_trigger.oid)) as fact
   from ${RELATION} join pg_trigger on tgrelid = relation.oid and not tgisinternal`,
  `select concat_ws(' ', 'type', typname, typtype, format_type(nullif(typbasetype, 0), typtypmod),
     (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = pg_type.oid)) as fact
   from pg_type where typnamespace = 'public'::regnamespace and typtype in ('d', 'e')`,
] as const
