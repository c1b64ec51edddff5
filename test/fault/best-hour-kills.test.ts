import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { quarterOf } from '../../src/domain/campaigns/local-hours.ts'
import { withOwner } from '../../src/store/db.ts'
import { atLength } from '../support/length.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { anyContent } from '../support/push/content.ts'
import { newDevices } from '../support/push/engine.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const { engine, workers, close } = await startKillable()
after(close)
const { database, sandbox } = engine

const HOUR_MS = 3_600_000
const KILLS = atLength(8)
/** Every person has one of each; half of the people are active at this hour, half of them in six hours. */
const PLATFORMS = ['ios', 'android'] as const
const PEOPLE = 1_500
/** The number of a lock that nobody else takes. */
const WAITING = 4_242

test('workers killed while a campaign is planned and sent hour by hour lose nobody and plan nobody twice', async () => {
  const { brandId } = await engine.brand()
  // The hour of the people is that of the launch, also when the next one begins while the people are made.
  const now = Date.now()
  await crowd(brandId, now)
  const ids = await launch(brandId, now)

  await killWhilePlanning()
  assert.equal((await listed(brandId)).length, 0, 'a plan that was not finished left something')
  await database.query(
    'update notifications set plan_at = now() where brand_id = $1 and plan_at is not null',
    [brandId],
  )

  let running = [await workers.start(), await workers.start()]
  for (let kills = 0; kills < KILLS; kills += 1) {
    const arrived = sandbox.inbox.total
    await engine.until(async () => sandbox.inbox.total > arrived + 50 || (await isHourOver(brandId)))
    const [victim, ...others] = running
    if (victim !== undefined) await workers.kill(victim)
    running = [...others, await workers.start()]
  }
  await engine.until(async () => isHourOver(brandId))

  const waiting = await listed(brandId)
  assert.equal(waiting.length, PEOPLE, 'half of the people wait, on two devices each')
  assert.equal(new Set(waiting.map(({ id }) => id)).size, PEOPLE)
  const dueOf = Map.groupBy(waiting, ({ person }) => person)
  for (const devices of dueOf.values())
    assert.equal(new Set(devices.map(({ at }) => at)).size, 1, 'a person has two instants')
  const { rows } = await database.query<{ audience: number; accepted: number; pending: number }>(
    'select audience, accepted, pending from notifications where brand_id = $1 and id = any($2)',
    [brandId, ids],
  )
  for (const counts of rows)
    assert.deepEqual(counts, { audience: PEOPLE, accepted: PEOPLE / 2, pending: PEOPLE / 2 })
})

/** People with one device on each platform. */
async function crowd(brandId: number, now: number): Promise<void> {
  const quarter = quarterOf(now)
  await database.query(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at)
       select $1, now(), now() from generate_series(1, $2::integer) returning id
     )
     insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv, active_quarters)
     select $1, id, 1, now(), now(), 0, array[case id % 2 when 0 then $3::integer else $4::integer end] from person`,
    [brandId, PEOPLE, quarter - 96, quarter - 96 + 24],
  )
  for (const platform of PLATFORMS) {
    const devices = newDevices(engine, { platform, count: PEOPLE })
    await seedDevices(database, { brandId, platform, devices })
    await database.query(
      `update subscriptions as s set profile_id = p.id
       from (select id, row_number() over (order by id) as place from subscriptions
         where brand_id = $1 and platform = $2) as device
       join (select id, row_number() over (order by id) as place from profiles where brand_id = $1) as p using (place)
       where s.brand_id = $1 and s.id = device.id`,
      [brandId, platform],
    )
  }
}

async function launch(brandId: number, now: number): Promise<readonly string[]> {
  const timing = { kind: 'best_hour', withinMs: 24 * HOUR_MS } as const
  const ids: string[] = []
  for (const platform of PLATFORMS) {
    const content = anyContent({ ttlSeconds: 36_000 })
    const target = { kind: 'all' } as const
    ids.push(await acceptNotification(database, { brandId, platform, target, timing, content, now }))
  }
  // The planner takes what has a campaign, so both get it in one statement.
  await database.query('update notifications set campaign_id = 1 where brand_id = $1', [brandId])
  return ids
}

/** Lets a worker write the chunks of one platform, and kills it before those of the other. */
async function killWhilePlanning(): Promise<void> {
  await asOwner(`create function wait_for_test() returns trigger language plpgsql as $body$
    begin
      if new.platform = '${PLATFORMS[1]}' then perform pg_advisory_xact_lock(${WAITING}); end if;
      return new;
    end $body$`)
  await asOwner(
    'create trigger wait_for_test before insert on chunks for each row execute function wait_for_test()',
  )
  await withOwner(engine.url, async (owner) => {
    await owner.query(`select pg_advisory_lock(${WAITING})`)
    const worker = await workers.start()
    await engine.until(async () => {
      const { count } = await owner.query(
        `select from pg_locks where locktype = 'advisory' and objid = ${WAITING} and not granted`,
      )
      return count > 0
    })
    await workers.kill(worker)
    await owner.query(`select pg_advisory_unlock(${WAITING})`)
    await engine.until(async () => {
      const { count } = await owner.query(
        `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and query like 'with recursive part%' and state <> 'idle'`,
      )
      return count === 0
    })
  })
  await asOwner('drop trigger wait_for_test on chunks')
}

async function asOwner(text: string): Promise<void> {
  await withOwner(engine.url, async (owner) => owner.query(text))
}

/** The devices that wait in chunks, with their person and their instant. */
async function listed(brandId: number) {
  const { rows } = await database.query<{ id: bigint; person: bigint; at: number }>(
    `select listed.id, s.profile_id as person, c.ready_at as at
     from chunks as c cross join unnest(c.subscription_ids) as listed (id)
     join subscriptions as s on s.brand_id = c.brand_id and s.id = listed.id where c.brand_id = $1`,
    [brandId],
  )
  return rows
}

/** Whether everybody whose hour it is has the message. */
async function isHourOver(brandId: number): Promise<boolean> {
  const { rows } = await database.query<{ accepted: number }>(
    'select sum(accepted)::integer as accepted from notifications where brand_id = $1',
    [brandId],
  )
  return rows[0]?.accepted === PEOPLE
}
