/** A query in SQL. $1 is always the brand. */
type BareQuery = { readonly text: string; readonly values: readonly unknown[] }

/** One read of the bar: the call, and the bare query of the same rows. `n` is another number in each round. */
export type ReadRow = {
  readonly name: string
  /** A guide for the slowest of twenty calls, in milliseconds. */
  readonly guideMs: number
  readonly ask: (n: number) => { readonly path: string; readonly body?: object }
  readonly bare: (n: number) => BareQuery
}

const SEARCH = '/api/v1/users/search'
const PEOPLE_MS = 50
const TIMELINE_MS = 30
const CATALOGUE_MS = 100

/** The fields of a person in a list. */
const PERSON = `p.id, p.email, p.mobile, p.attributes, p.tags, p.created_at, p.updated_at, a.event_count, a.ltv,
  a.first_event_at, a.last_event_at,
  (select jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value)) from profile_identities as i
    where i.brand_id = p.brand_id and i.profile_id = p.id) as names,
  array(select distinct s.platform from subscriptions as s
    where s.brand_id = p.brand_id and s.profile_id = p.id and s.state = 'live') as platforms`
const PEOPLE = `profiles as p left join profile_activity as a on a.brand_id = p.brand_id and a.profile_id = p.id`

/** The people, and their number as far as it is counted. */
function people(where: string, values: readonly unknown[], among: string = PEOPLE): BareQuery {
  const text = `select ${PERSON}, (select count(*) from (select from ${among} where p.brand_id = $1 and ${where}
      limit 10001) as counted) as count
    from ${among} where p.brand_id = $1 and ${where} order by p.id desc limit 50`
  return { text, values }
}

/**
 * People with a tag of their own, or with a live device that has it. The page is cut before anything of a person is looked
 * up; otherwise PostgreSQL walks along half of all profiles, and everything is quick beside that.
 */
function tagged(tag: string): BareQuery {
  const text = `with found as materialized (
      select id from profiles where brand_id = $1 and tags @> $2 and tags <> '{}'
      union select profile_id from subscriptions where brand_id = $1 and tags @> $2 and state = 'live' and profile_id is not null)
    select ${PERSON}, (select count(*) from found) as count
    from (select id from found order by id desc limit 50) as shown join profiles as p on p.brand_id = $1 and p.id = shown.id
    left join profile_activity as a on a.brand_id = p.brand_id and a.profile_id = p.id order by p.id desc`
  return { text, values: [[tag]] }
}

const FOUND = `profile_identities as i join profiles as p on p.brand_id = i.brand_id and p.id = i.profile_id
  left join profile_activity as a on a.brand_id = p.brand_id and a.profile_id = p.id`

/** People by the first letters of their user id. */
function found(prefix: string): BareQuery {
  const text = `select ${PERSON}, (select count(*) from (select from profile_identities as i
      where i.brand_id = $1 and ${BEGINS} limit 10001) as counted) as count
    from ${FOUND} where i.brand_id = $1 and ${BEGINS} order by fold_text(i.value) collate "C", i.profile_id limit 50`
  return { text, values: [prefix] }
}
const BEGINS = `fold_text(i.value) collate "C" >= $2 and fold_text(i.value) collate "C" < $2 || '~'`

const DEVICES = 'select id from subscriptions where brand_id = $1 and profile_id = $2'
const EVENTS = `(select event_at as at, to_jsonb(e) as body from events as e where brand_id = $1 and profile_id = $2
  order by event_at desc limit 50)`
/** The condition that a device is set among the bits `x`. `case` keeps PostgreSQL from asking for a bit that is not there. */
const isSet = (device: string): string => `x.block = ${device} >> 10
  and case when (${device} & 1023) - x.first_place between 0 and 8 * length(x.bits) - 1
    then get_bit(x.bits, (${device} & 1023) - x.first_place) = 1 end`
const MESSAGES = [
  ['deliveries', 'x.subscription_id = mine.id'],
  ['receipts', 'x.subscription_id = mine.id'],
  ['accepted_blocks', isSet('mine.id')],
].map(
  ([
    table,
    isMine,
  ]) => `(select x.at, to_jsonb(x) || jsonb_build_object('title', n.content ->> 'title') as body
    from (${DEVICES}) as mine join ${table} as x on x.brand_id = $1 and ${isMine}
    join notifications as n on n.brand_id = $1 and n.id = x.notification_id order by x.at desc limit 50)`,
)

const SENT = '01900000-0000-7000-8000-000000000032'
/** The first recipients of a broadcast, whether rows or bits: the first two blocks have more than a page. */
const RECIPIENTS = `select s.subscription_id, found.*, (select min(value) from profile_identities as i
    where i.brand_id = $1 and i.profile_id = s.profile_id and i.kind = 'user_id') as user_id from (
    (select subscription_id as id, at from deliveries where brand_id = $1 and notification_id = $2 order by 1 limit 51)
    union all
    (select (x.block << 10) + x.first_place + n, x.at
     from (select * from accepted_blocks where brand_id = $1 and notification_id = $2 order by block, first_place limit 2) as x,
       generate_series(0, 8 * length(x.bits) - 1) as n
     where get_bit(x.bits, n) = 1 order by 1 limit 51)
    order by 1 limit 51
  ) as found join subscriptions as s on s.brand_id = $1 and s.id = found.id order by found.id`
const EXPLAINED = `select n.content, s.*, p.opt_outs,
    (select to_jsonb(d) from deliveries as d where d.brand_id = $1 and d.notification_id = n.id and d.subscription_id = s.id) as tried,
    (select x.at from accepted_blocks as x where x.brand_id = $1 and x.notification_id = n.id and ${isSet('s.id')}) as accepted,
    array(select r.kind from receipts as r where r.brand_id = $1 and r.notification_id = n.id and r.subscription_id = s.id) as receipts
  from profile_identities as i join profiles as p on p.brand_id = $1 and p.id = i.profile_id
  join subscriptions as s on s.brand_id = $1 and s.profile_id = p.id
  join notifications as n on n.brand_id = $1 and n.id = $2 and n.platform = s.platform
  where i.brand_id = $1 and i.kind = 'user_id' and i.value = $3`

/** As many rows as the catalogue samples, spread over all of them. */
const SAMPLED = (table: string): string =>
  `(select * from ${table} where brand_id = $1 and id % (select greatest(1, max(id) / 5000) from ${table} where brand_id = $1) = 0)`

/** Every read of the bar. A new read is one more row. */
export const READS: readonly ReadRow[] = [
  {
    name: 'people by a user id, in another case',
    guideMs: PEOPLE_MS,
    ask: (n) => ({ path: `/api/v1/users?search=USER-${n}` }),
    bare: (n) => found(`user-${n}`),
  },
  {
    name: 'people by one letter that all have',
    guideMs: PEOPLE_MS,
    ask: () => ({ path: '/api/v1/users?search=u' }),
    bare: () => found('u'),
  },
  {
    name: 'the newest people',
    guideMs: PEOPLE_MS,
    ask: () => ({ path: '/api/v1/users' }),
    bare: () => people('true', []),
  },
  {
    name: 'people by a common value of an attribute',
    guideMs: PEOPLE_MS,
    ask: () => ({ path: SEARCH, body: { filter: { attribute: 'city', is: 'eq', value: 'Oslo' } } }),
    bare: () => people(`p.attributes ->> 'city' = $2`, ['Oslo']),
  },
  {
    name: 'people by a tag that one of a thousand has',
    guideMs: PEOPLE_MS,
    ask: () => ({ path: SEARCH, body: { filter: { tag: 'rare' } } }),
    bare: () => tagged('rare'),
  },
  {
    name: 'a page of a time line',
    guideMs: TIMELINE_MS,
    ask: (n) => ({ path: `/api/v1/users/User-${n}/timeline` }),
    bare: (n) => ({
      text: `select * from (${[EVENTS, ...MESSAGES].join(' union all ')}) as lines order by at desc limit 50`,
      values: [n],
    }),
  },
  {
    name: 'the events of a time line',
    guideMs: TIMELINE_MS,
    ask: (n) => ({ path: `/api/v1/users/User-${n}/timeline?kinds=event` }),
    bare: (n) => ({ text: EVENTS, values: [n] }),
  },
  {
    name: 'a page of the recipients of a broadcast',
    guideMs: TIMELINE_MS,
    ask: () => ({ path: `/api/v1/notifications/${SENT}/deliveries` }),
    bare: () => ({ text: RECIPIENTS, values: [SENT] }),
  },
  {
    name: 'why a person got a broadcast or not',
    guideMs: TIMELINE_MS,
    ask: (n) => ({ path: `/api/v1/explain?user_id=User-${n}&notification=${SENT}` }),
    bare: (n) => ({ text: EXPLAINED, values: [SENT, `User-${n}`] }),
  },
  {
    name: 'the attributes of people with their values',
    guideMs: CATALOGUE_MS,
    ask: () => ({ path: '/api/v1/catalogue/attributes' }),
    bare: () => ({
      text: `select key, value, count(*) from ${SAMPLED('profiles')} as p, jsonb_each(p.attributes) group by 1, 2
        order by 3 desc limit 20`,
      values: [],
    }),
  },
  {
    name: 'the values of an attribute of an event',
    guideMs: CATALOGUE_MS,
    ask: (n) => ({ path: `/api/v1/catalogue/attributes/sku/values?event_name=event-${n % 10}` }),
    bare: (n) => ({
      text: `select attributes -> 'sku', count(*) from (select attributes from events where brand_id = $1 and event_name = $2
        order by event_at desc limit 2000) as e group by 1 order by 2 desc limit 20`,
      values: [`event-${n % 10}`],
    }),
  },
  {
    name: 'tags',
    guideMs: CATALOGUE_MS,
    ask: () => ({ path: '/api/v1/catalogue/tags?prefix=V' }),
    bare: () => ({
      text: `select tag, count from tag_counts where brand_id = $1 and starts_with(fold_text(tag), fold_text('V'))
        order by count desc, tag limit 50`,
      values: [],
    }),
  },
  {
    name: 'languages',
    guideMs: CATALOGUE_MS,
    ask: () => ({ path: '/api/v1/catalogue/languages' }),
    bare: () => ({
      text: `select language, count(*) from ${SAMPLED('subscriptions')} as s group by 1 order by 2 desc limit 20`,
      values: [],
    }),
  },
]
