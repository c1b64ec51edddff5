-- Browsers that are known before the person is: a visitor is one more name of a profile.
alter table profile_identities drop constraint profile_identities_kind_check;
alter table profile_identities
  add constraint profile_identities_kind_check check (kind in ('user_id', 'email', 'mobile', 'visitor'));

-- Whether a page must prove who its user is (decision 0010).
alter table brands add column identity_verification boolean not null default false;
grant update (identity_verification) on brands to beckon_app, beckon_engine;
