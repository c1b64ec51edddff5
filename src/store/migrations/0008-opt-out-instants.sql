-- The list of opt-outs reads the newest first, a page at a time. An opt-out is a key of `opt_outs` with its instant, so
-- the rows are found by their newest instant, and those whose opt-outs are of several instants by the oldest and the newest.
-- The instants have a zone in their text, so that the cast depends on no setting.
create function newest_opt_out(opt_outs jsonb) returns timestamptz language sql immutable strict parallel safe
  return (select max(since::timestamptz) from jsonb_each_text(opt_outs) as held (topic, since));
create function oldest_opt_out(opt_outs jsonb) returns timestamptz language sql immutable strict parallel safe
  return (select min(since::timestamptz) from jsonb_each_text(opt_outs) as held (topic, since));
revoke execute on function newest_opt_out, oldest_opt_out from public;
grant execute on function newest_opt_out, oldest_opt_out to beckon_app, beckon_engine;

create index profiles_newest_opt_out on profiles (brand_id, newest_opt_out(opt_outs)) where opt_outs <> '{}';
create index profiles_opt_out_span on profiles (brand_id, oldest_opt_out(opt_outs), newest_opt_out(opt_outs))
  where opt_outs <> '{}' and oldest_opt_out(opt_outs) < newest_opt_out(opt_outs);
create index subscriptions_newest_opt_out on subscriptions (brand_id, newest_opt_out(opt_outs)) where opt_outs <> '{}';
create index subscriptions_opt_out_span on subscriptions (brand_id, oldest_opt_out(opt_outs), newest_opt_out(opt_outs))
  where opt_outs <> '{}' and oldest_opt_out(opt_outs) < newest_opt_out(opt_outs);
