import { errorCode, StartError } from '../runtime/error-code.ts'
import type { Db } from './db.ts'

/** Neither may log in nor owns anything: a session of the owner steps down into one of them. */
export const ROLES = ['beckon_app', 'beckon_engine'] as const

/**
 * Makes the two roles if they are missing and lets the current user step into them. Roles belong to the whole
 * server, so another database may be doing the same at this moment: the statement forgives a lost race.
 */
export async function ensureRoles(db: Db): Promise<void> {
  for (const role of ROLES) await db.query(ensureRole(role)).catch(explain)
  const { rows } = await db.query<{ rolname: string }>(
    'select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls)',
    [ROLES],
  )
  const [strong] = rows
  if (strong === undefined) return
  throw new StartError(
    `The database role ${strong.rolname} may see every brand. Take that away: alter role ${strong.rolname} nosuperuser nobypassrls.`,
  )
}

/** `inherit false` keeps the owner out of the roles' policies; it must step down to see a row. */
function ensureRole(role: string): string {
  return `do $do$
    begin
      for attempt in 1..5 loop
        begin
          if not exists (select from pg_roles where rolname = '${role}') then
            create role ${role} nologin;
          end if;
          if not pg_has_role(current_user, '${role}', 'set') then
            execute format('grant ${role} to %I with set true, inherit false', current_user);
          end if;
          exit;
        exception when duplicate_object or unique_violation or internal_error then
          if attempt = 5 then raise; end if;
        end;
      end loop;
    end
  $do$`
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** A catch, because here the server's refusal has one known cure and the person at the terminal should read it. */
function explain(cause: unknown): never {
  if (errorCode(cause) !== INSUFFICIENT_PRIVILEGE) throw cause
  const names = ROLES.join(', ')
  throw new StartError(
    `The database user may not create the roles ${names}. Let an administrator run: ${ROLES.map((role) => `create role ${role} nologin;`).join(' ')} grant ${names} to <user> with set true, inherit false;`,
    { cause },
  )
}
