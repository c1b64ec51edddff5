import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import type { WebhookEventType } from '../../src/rules/webhooks.ts'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { atLength } from '../support/length.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import {
  childrenOf,
  endWith,
  freshFolder,
  type RunningBeckon,
  startBeckon,
} from '../support/processes/beckon.ts'
import { findKillTarget, type KillTarget } from '../support/processes/kill-targets.ts'
import { findQuietPort } from '../support/processes/quiet-port.ts'
import { sandboxAccess } from '../support/push/engine.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { until } from '../support/until.ts'
import { FactCallers } from '../support/webhooks/fact-callers.ts'
import { type Arrived, type HookServer, startHookServer } from '../support/webhooks/hook-server.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

/** `listening` are all workers at once, while the endpoint is thinking about its answer. */
const KILL_TARGETS: readonly (KillTarget | 'listening')[] = [
  ...Array<'api'>(atLength(5)).fill('api'),
  ...Array<'listening'>(atLength(3)).fill('listening'),
  'database',
]
const PEOPLE_PER_KILL = 3

test('whoever is killed, every fact that was committed is told, under one id, and no other', async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  context.diagnostic(`seed ${seed}`)
  const random = new SeededRandom(seed)
  const { beckon, folder, hooks, callers } = await startPlace(context)
  for (const target of [...random.shuffle(KILL_TARGETS), 'worker'] as const) {
    const enough = callers.acknowledged.length + PEOPLE_PER_KILL
    await until(() => callers.acknowledged.length >= enough, { what: 'acknowledged calls' })
    if (target === 'listening') await killListeningWorkers({ beckon, folder, hooks })
    else
      for (const pid of await findKillTarget(target, { beckon, folder, random })) process.kill(pid, 'SIGKILL')
  }
  await callers.stop()
  const acknowledged = callers.acknowledged.length

  await withDatabase(folder, async (db) => {
    // What the last targets held comes back by itself, when its lease runs out.
    await until(async () => (await countUnfinished(db)) === 0, { what: 'the end of all work' })
    const told = hooks.arrived.map(readFact)
    const idsOf = Map.groupBy(told, ({ fact }) => fact)
    const many = [...idsOf].filter(([, facts]) => new Set(facts.map(({ id }) => id)).size > 1)
    assert.deepEqual(many, [], 'told again under another id')
    const happened = await listFacts(db)
    assert.deepEqual(new Set(idsOf.keys()).difference(happened), new Set(), 'told and never happened')
    assert.deepEqual(happened.difference(new Set(idsOf.keys())), new Set(), 'happened and never told')
    const wanted = callers.acknowledged.flatMap(factsOf)
    assert.deepEqual(
      wanted.filter((fact) => !happened.has(fact)),
      [],
      'acknowledged and lost',
    )
    const repeats = told.length - idsOf.size
    context.diagnostic(`${acknowledged} people, ${idsOf.size} facts, ${repeats} told again`)
    assert.ok(repeats > 0, 'a worker that dies before it wrote the answer down is the hard case')
  })
})

type Place = {
  readonly beckon: RunningBeckon
  readonly folder: string
  readonly hooks: HookServer
  readonly callers: FactCallers
}

const TOLD = [
  'profile.created',
  'subscription.created',
  'delivery.accepted',
  'notification.sent',
  'journey.entered',
  'journey.called',
  'journey.exited',
] as const satisfies readonly WebhookEventType[]

async function startPlace(context: TestContext): Promise<Place> {
  const folder = await freshFolder(context)
  const hooks = await startHookServer()
  endWith(context, hooks.close)
  const sandbox = await startSandbox()
  endWith(context, async () => sandbox.close())
  const port = await findQuietPort()
  const beckon = await startBeckon(context, {
    PORT: String(port),
    BECKON_DATA_DIR: folder,
    BECKON_API_PROCESSES: String(atLength(2)),
    BECKON_WORKER_PROCESSES: '2',
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
    BECKON_WEBHOOK_HOSTS: hooks.host,
  })
  await saveSandboxFile(folder, sandboxAccess(sandbox))
  const url = `http://127.0.0.1:${port}`
  const webhook = await ask(`${url}/api/v1/webhooks`, { url: hooks.url, event_types: TOLD })
  const [, endpointId] = /"id":"([^"]+)"/.exec(webhook) ?? []
  const steps = [{ id: 'tell', webhook: { endpoint_id: endpointId } }]
  const journey = await ask(`${url}/api/v1/journeys`, { name: 'j', trigger: { event: 'signup' }, steps })
  await ask(`${url}/api/v1/journeys/${/"journey_id":(\d+)/.exec(journey)?.[1]}/activate`, {})
  const newToken = () => sandbox.apns.newToken()
  const callers = new FactCallers({ url, headers: BRAND, clients: 4, newToken })
  endWith(context, async () => callers.stop())
  return { beckon, folder, hooks, callers }
}

async function ask(url: string, body: object): Promise<string> {
  const headers = { ...BRAND, 'content-type': 'application/json' }
  const reply = await askBeckon(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return text
}

/** Kills all workers while the endpoint has heard of something and they have not heard its answer. */
async function killListeningWorkers({ beckon, folder, hooks }: Omit<Place, 'callers'>): Promise<void> {
  const waiting: ServerResponse[] = []
  hooks.answer((response) => void waiting.push(response))
  await until(() => waiting.length > 0, { what: 'a call to the endpoint' })
  const children = await childrenOf(beckon.pid)
  const workers = children.filter(({ command }) => command.includes(' worker --name'))
  for (const { pid } of workers) process.kill(pid, 'SIGKILL')
  hooks.answer((response) => void response.writeHead(204).end())
  for (const response of waiting) response.destroy()
  // Nobody is left to hold anything, and the test has no time for leases to run out.
  await withDatabase(folder, async (db) => {
    await db.query('update webhook_messages set ready_at = now() where leased_by is not null')
  })
}

type Told = { readonly id: string; readonly fact: string }

function readFact({ headers, body }: Arrived): Told {
  const { type, data } = JSON.parse(body)
  const about = type === 'notification.sent' ? data.id : (data.subscription_id ?? data.user_id)
  return { id: String(headers['webhook-id']), fact: `${type} ${about}` }
}

function factsOf({ name, notificationId }: { readonly name: string; readonly notificationId: string }) {
  return TOLD.map((type) => `${type} ${type === 'notification.sent' ? notificationId : name}`)
}

/** What is in the database, whether anybody was told or not. */
async function listFacts(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ fact: string }>(
    `select 'profile.created ' || value as fact from profile_identities
     union all select 'subscription.created ' || subscription_id from subscriptions
     union all select 'delivery.accepted ' || s.subscription_id from all_deliveries as d
       join subscriptions as s on s.id = d.subscription_id where d.state = 'accepted'
     union all select 'notification.sent ' || id from notifications where state = 'sent'
     union all select unnest(array['journey.entered ', 'journey.called ', 'journey.exited ']) || i.value
       from enrolments as e join profile_identities as i on i.profile_id = e.profile_id where e.state = 'completed'`,
  )
  return new Set(rows.map(({ fact }) => fact))
}

async function countUnfinished(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select (select count(*) from notifications where finished_at is null)::integer
       + (select count(*) from enrolments where state = 'active')::integer
       + (select count(*) from webhook_messages where state <> 'delivered')::integer
       + (select count(*) from event_batches as b where not exists (select from event_readers as r
           where r.brand_id = b.brand_id and r.reader = 'journeys' and (r.tx, r.batch_id) >= (b.tx, b.id)))::integer
       as count`,
  )
  return rows[0]?.count ?? 0
}

async function withDatabase(folder: string, work: (db: Db) => Promise<void>): Promise<void> {
  // It may be down at this moment.
  let url: string | null = null
  await until(
    async () => {
      url = await findPostgres(folder)
      return url !== null
    },
    { what: 'the database' },
  )
  await withOwner(url ?? '', work)
}
