-- The audit log (docs/audit.md) also tells how a member can sign in, and when sending is held.

-- Writes the line of a password, a passkey, an account at the identity provider or a recovery code. Its subject is the
-- member, and it belongs to the instance. A request without an author is a sign-in, which nobody but the member of the row
-- could finish. Arguments: the type of the subject; the columns that are shown; those of them that are secret; and the
-- action that an update is.
create function write_sign_in_audit() returns trigger language plpgsql as $body$
declare
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  became jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  of_member text := coalesce(became, was) ->> 'member_id';
  author text := nullif(current_setting('beckon.actor', true), '');
  verb text := case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else coalesce(tg_argv[3], 'changed') end;
  names text[] := string_to_array(tg_argv[1], ',');
begin
  -- A member who is deleted takes everything along, and the line of the member tells it.
  if tg_op = 'DELETE' and not exists (select from members where id = of_member::uuid) then return null; end if;
  if author is null and nullif(current_setting('beckon.request_id', true), '') is not null then
    author := 'member:' || of_member;
  end if;
  perform write_audit_line(0, coalesce(author, 'system'), verb, tg_argv[0], of_member,
    audit_columns(was, names, tg_argv[2]), audit_columns(became, names, tg_argv[2]));
  return null;
end
$body$;

-- Writes the line of a hold, or of its end.
create function write_hold_audit() returns trigger language plpgsql as $body$
begin
  perform write_audit_line(0, audit_actor(), case tg_op when 'INSERT' then 'held' else 'resumed' end,
    'sending', 'all', null, null);
  return null;
end
$body$;

revoke execute on function write_sign_in_audit, write_hold_audit from public;

create trigger passwords_set_audit after insert or update of password on member_accounts
  for each row when (new.provider_id = 'credential')
  execute function write_sign_in_audit('password', 'password', 'password');
create trigger passwords_removed_audit after delete on member_accounts
  for each row when (old.provider_id = 'credential')
  execute function write_sign_in_audit('password', 'password', 'password');
create trigger provider_accounts_made_audit after insert on member_accounts
  for each row when (new.provider_id <> 'credential')
  execute function write_sign_in_audit('provider_account', 'provider_id', '');
create trigger provider_accounts_removed_audit after delete on member_accounts
  for each row when (old.provider_id <> 'credential')
  execute function write_sign_in_audit('provider_account', 'provider_id', '');
create trigger passkeys_audit after insert or delete on member_passkeys
  for each row execute function write_sign_in_audit('passkey', 'id', '');
-- A code that is used is taken out of the list. The codes of an app that is not switched on yet are no use.
create trigger recovery_codes_audit after update of backup_codes on member_two_factors
  for each row when (old.verified and new.verified and old.backup_codes <> new.backup_codes)
  execute function write_sign_in_audit('recovery_code', '', '', 'used');
create trigger sending_hold_audit after insert or delete on sending_hold
  for each row execute function write_hold_audit();
