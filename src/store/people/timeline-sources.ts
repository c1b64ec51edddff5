import { IDENTITY_KINDS, TIMELINE_LIMITS, type TimelineKind } from '../../rules/people.ts'
import { deviceSourcesSql } from '../push/delivery-sql.ts'

/** `ids` are the person's profiles. The statement has the person's devices under the name `devices`. */
type SourceScope = {
  readonly brand: string
  readonly ids: string
  readonly limit: string
  /** The condition that a line with this instant and key belongs to the page. */
  readonly boundSql: (at: string, key: string) => string
}

/** The lines of one kind: where they come from, their instant, the key that tells equal instants apart, their fields. */
type Source = { readonly from: string; readonly at: string; readonly key: string; readonly body: string }

/**
 * The kinds of lines. Events, deliveries and receipts, of which a person may have any number, are read along an index
 * from the mark on; of the others a person has few. `offset 0` keeps the planner from looking for a person's few rows
 * along the primary key, which has the wanted order and the rows of everybody.
 */
export const TIMELINE_SOURCES: Readonly<Record<TimelineKind, (scope: SourceScope) => Source>> = {
  event: eventSource,
  delivery: (scope) => {
    const sources = deviceSourcesSql({ brand: scope.brand, subscription: 'devices.id' })
    return pushSource({ sources, key: PUSH_KEY, body: DELIVERY_BODY }, scope)
  },
  receipt: (scope) => {
    const where = `x.brand_id = ${scope.brand} and x.subscription_id = devices.id`
    const sources = [{ from: 'receipts as x', where }]
    return pushSource({ sources, key: `${PUSH_KEY} || x.kind`, body: RECEIPT_BODY }, scope)
  },
  journey: journeySource,
  change: changeSource,
  merge: mergeSource,
}

function eventSource({ brand, ids, limit, boundSql }: SourceScope): Source {
  const key = digitsSql('e.id')
  return {
    from: `from unnest(${ids}::bigint[]) as me (id) cross join lateral (
      select e.* from events as e
      where e.brand_id = ${brand} and e.profile_id = me.id and ${boundSql('e.event_at', key)}
      order by e.event_at desc, e.id desc limit ${limit}::integer) as e`,
    at: 'e.event_at',
    key,
    body: `jsonb_build_object('id', e.id::text, 'event_name', e.event_name, 'ltv', e.ltv::text,
      'attributes', e.attributes, 'context', e.context, 'event_id', e.event_id,
      'is_before_creation', e.is_before_creation)`,
  }
}

/** A notification that was addressed to somebody else, who had the device before, is not of this person. */
function pushSource({ sources, key, body }: PushLines, { ids, limit, boundSql }: SourceScope): Source {
  const ordered = `(${key}) collate "C"`
  const newest = sources.map(
    ({ from, where }) => `(
      select x.*, n.platform, n.caller_notification_id, n.content ->> 'title' as title, n.journey_id, n.campaign_id, n.step
      from ${from} join notifications as n on n.brand_id = x.brand_id and n.id = x.notification_id
      where ${where} and ${boundSql('x.at', ordered)}
        and (n.profile_id is null or n.profile_id = any(${ids}::bigint[]))
      order by x.at desc, ${ordered} desc limit ${limit}::integer)`,
  )
  return {
    from: `from devices cross join lateral (${newest.join(' union all ')}) as x`,
    at: 'x.at',
    key: ordered,
    body,
  }
}

/** Lines about messages. `sources` are the tables that have them, each with the same columns. */
type PushLines = {
  readonly sources: readonly { readonly from: string; readonly where: string }[]
  readonly key: string
  readonly body: string
}

const PUSH_KEY = `x.notification_id::text || ' ' || ${digitsSql('x.subscription_id')} || ' '`

const NOTIFICATION = `'notification', jsonb_build_object('id', x.notification_id,
    'notification_id', x.caller_notification_id, 'platform', x.platform, 'title', x.title,
    'campaign_id', x.campaign_id, 'journey_id', x.journey_id, 'step', x.step),
  'subscription_id', devices.subscription_id`

const DELIVERY_BODY = `jsonb_build_object(${NOTIFICATION}, 'state', x.state, 'reason', x.reason, 'attempt', x.attempt,
  'language', x.language)`
const RECEIPT_BODY = `jsonb_build_object(${NOTIFICATION}, 'receipt', x.kind, 'button', x.button)`

/** The newest notes of each enrolment are kept with it. */
function journeySource({ brand, ids, boundSql }: SourceScope): Source {
  const at = `(timestamptz 'epoch' + (note.body ->> 'at')::bigint * interval '1 millisecond')`
  const key = `(${digitsSql('e.id')} || ' ' || to_char(note.place, 'FM000000')) collate "C"`
  return {
    from: `from (select * from (
          select * from enrolments where brand_id = ${brand} and profile_id = any(${ids}::bigint[]) offset 0
        ) as theirs order by theirs.id desc limit ${TIMELINE_LIMITS.enrolmentsMax}) as e
      join journeys as j on j.brand_id = e.brand_id and j.id = e.journey_id
      cross join lateral jsonb_array_elements(e.path) with ordinality as note (body, place)
      where ${boundSql(at, key)}`,
    at,
    key,
    body: `jsonb_build_object('journey_id', e.journey_id, 'name', j.name, 'version', e.version, 'enrolment_id', e.id,
      'step', note.body ->> 'step', 'code', note.body ->> 'did')`,
  }
}

function changeSource({ brand, ids, boundSql }: SourceScope): Source {
  const key = `(c.change || ' ' || coalesce(c.subscription_id, '') || ' ' || coalesce(c.topic, '')) collate "C"`
  return {
    from: `from (
        select p.created_at as at, 'created' as change, null as subscription_id, null as platform, null as reason, null as topic
        from profiles as p where p.brand_id = ${brand} and p.id = any(${ids}::bigint[])
        union all
        select o.since::timestamptz, 'opted_out', null, null, null, o.topic
        from profiles as p cross join lateral jsonb_each_text(p.opt_outs) as o (topic, since)
        where p.brand_id = ${brand} and p.id = any(${ids}::bigint[])
        union all
        select s.created_at, 'subscribed', s.subscription_id, s.platform, null, null from devices as s
        union all
        select s.state_since, case s.state when 'live' then 'subscribed_again' else s.state end, s.subscription_id,
          s.platform, s.state_reason, null
        from devices as s where s.state <> 'live' or s.state_since > s.created_at
        union all
        select o.since::timestamptz, 'opted_out', s.subscription_id, s.platform, null, o.topic
        from devices as s cross join lateral jsonb_each_text(s.opt_outs) as o (topic, since)
      ) as c where ${boundSql('c.at', key)}`,
    at: 'c.at',
    key,
    body: `jsonb_build_object('change', c.change, 'subscription_id', c.subscription_id, 'platform', c.platform,
      'reason', c.reason, 'topic', c.topic)`,
  }
}

/**
 * A merge that was undone has two lines. It no longer knows the names that it moved, but the other person has them again;
 * somebody who was erased, or merged anew, has none.
 */
function mergeSource({ brand, ids, boundSql }: SourceScope): Source {
  const key = `(${digitsSql('m.id')} || ' ' || happened.did) collate "C"`
  const other = `case when m.absorbed_id = any(${ids}::bigint[]) then m.survivor_id else m.absorbed_id end`
  const names = `profile_identities as i where m.state = 'undone' and i.brand_id = ${brand} and i.profile_id = ${other}`
  return {
    from: `from profile_merges as m
      cross join lateral (values ('merged', m.merged_at), ('unmerged', m.undone_at)) as happened (did, at)
      where m.brand_id = ${brand} and m.id = any(array(
          select id from profile_merges where brand_id = ${brand} and survivor_id = any(${ids}::bigint[])
          union
          select id from profile_merges where brand_id = ${brand} and absorbed_id = any(${ids}::bigint[])))
        and happened.at is not null and ${boundSql('happened.at', key)}`,
    at: 'happened.at',
    key,
    body: `jsonb_build_object('merge_id', m.id, 'did', happened.did, 'user_ids',
      (select coalesce(jsonb_agg(value order by value), '[]') from (
        select name ->> 'value' as value from jsonb_array_elements(m.before -> 'names') as name
        where name ->> 'kind' = 'user_id'
        union all select i.value from ${names} and i.kind = 'user_id') as known),
      'person', (select jsonb_build_object('kind', i.kind, 'value', i.value) from ${names}
        order by array_position(array[${IDENTITY_KINDS.map((kind) => `'${kind}'`).join(', ')}], i.kind), i.value limit 1))`,
  }
}

/** A number as text of one length, so that texts have the order of numbers. */
function digitsSql(number: string): string {
  return `(to_char(${number}, 'FM0000000000000000000') collate "C")`
}
