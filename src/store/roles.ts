import { errorCode, StartError } from '../runtime/errors.ts'
import { roleLogin } from '../runtime/postgres/role-logins.ts'
import type { Db } from './db.ts'

/** The roles of Beckon. None of them owns anything or can become another role. */
export const ROLES = ['beckon_app', 'beckon_engine', 'beckon_team'] as const

/**
 * Makes the roles if they are missing, and lets the current user switch to them. Roles belong to the whole server,
 * so another database may do the same at this moment; the statement tolerates that.
 */
export async function ensureRoles(db: Db, url: string): Promise<void> {
  for (const role of ROLES) {
    await db.query(ensureRole(role)).catch(explain)
    const login = roleLogin(url, role)
    if (login !== null) await db.query(ensureLogin(role, login.password))
  }
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

/**
 * `inherit false` keeps the roles' policies from the owner, who must switch to a role to see a row.
 *
 * A session remembers the memberships of the role it asked about last. A grant of another session that commits while
 * that list is read leaves the list stale: the role then looks as if it had not been granted. A question about another
 * role drops the list, so the loop asks one, and ends only when the server says that the membership is there. In the same
 * way a session may remember that a role is missing which another session has made (`undefined_object`).
 */
function ensureRole(role: string): string {
  const isGranted = `pg_has_role(current_user, '${role}', 'set')`
  return `do $do$
    begin
      for attempt in 1..${ATTEMPTS_MAX} loop
        begin
          if not exists (select from pg_roles where rolname = '${role}') then
            create role ${role} nologin;
          end if;
          if not ${isGranted} then
            execute format('grant ${role} to %I with set true, inherit false', current_user);
          end if;
          perform pg_has_role('pg_monitor', '${role}', 'set');
          if ${isGranted} then return; end if;
        exception when duplicate_object or unique_violation or internal_error or undefined_object then
          if attempt = ${ATTEMPTS_MAX} then raise; end if;
        end;
        ${WAIT};
      end loop;
      raise insufficient_privilege using message = 'the role ${role} could not be granted';
    end
  $do$`
}

/** `alter role` takes no parameters; the password is hexadecimal digits. */
function ensureLogin(role: string, password: string): string {
  return `do $do$
    begin
      for attempt in 1..${ATTEMPTS_MAX} loop
        begin
          if exists (select from pg_roles where rolname = '${role}' and rolcanlogin) then return; end if;
          alter role ${role} login password '${password}';
        exception when internal_error then
          if attempt = ${ATTEMPTS_MAX} then raise; end if;
          ${WAIT};
        end;
      end loop;
    end
  $do$`
}

/** A lost race is over when the other session has committed and told the others, so a few attempts are many. */
const ATTEMPTS_MAX = 20

/**
 * The wait before the next attempt, longer each time. The server shows what a session committed a moment before it tells the other sessions
 * to forget what they remember. On a busy machine this takes some milliseconds, and ten attempts without a wait took less.
 */
const WAIT = 'perform pg_sleep(0.02 * attempt)'

const INSUFFICIENT_PRIVILEGE = '42501'

/** This catches the error because the refusal has one known remedy, and the person at the terminal should read it. */
function explain(cause: unknown): never {
  if (errorCode(cause) !== INSUFFICIENT_PRIVILEGE) throw cause
  const names = ROLES.join(', ')
  throw new StartError(
    `The database user may not create the roles ${names}. Let an administrator run: ${ROLES.map((role) => `create role ${role} nologin;`).join(' ')} grant ${names} to <user> with set true, inherit false;`,
    { cause },
  )
}
