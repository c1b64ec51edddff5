import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { createReceiptSigner } from '../../src/runtime/secrets/receipt-token.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { CANARY, MARKS, NAME_CANARY } from '../support/people/canary-body.ts'
import {
  type Garden,
  PLANTED_ROUTES,
  type Planted,
  plantEverywhere,
} from '../support/people/canary-plants.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { call } from '../support/processes/server.ts'
import { sandboxAccess } from '../support/push/engine.ts'
import { until } from '../support/until.ts'
import { startHookServer } from '../support/webhooks/hook-server.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const
const PUBLISHABLE_KEY = 'a-publishable-key-of-the-test-brand'
const SECRET = 'the secret of the canary test, long enough'

/** Rows of the route table that write, and through which nothing about a person is stored to stay. */
const NOTHING_OF_A_PERSON: Readonly<Record<string, string>> = {
  'POST /api/v1/{platform}/broadcast/all': 'the text of a broadcast is for everybody and stays',
  'POST /api/v1/{platform}/broadcast/segment': 'the text of a broadcast is for everybody and stays',
  'POST /api/v1/notifications/{id}/cancel': 'takes no body',
  'POST /api/v1/receipts': 'planted by the test itself: it needs the ids of deliveries',
  'POST /api/v1/events/query': 'a read',
  'POST /api/v1/events/funnel': 'a read',
  'POST /api/v1/events/funnel/people': 'a read',
  'POST /api/v1/user/userdata': 'a read',
  'POST /api/v1/user/profile': 'a read',
  'POST /api/v1/user/count': 'a read',
  'POST /api/v1/users/search': 'a read',
  'POST /api/v1/user/delete': 'the erasure',
  'POST /api/v1/user/unmerge': 'names people and stores no new text',
  'PUT /api/v1/user/preferences': 'stores names of topics, which are the brand’s',
  'PUT /api/v1/subscriptions/{subscription_id}/preferences': 'stores names of topics, which are the brand’s',
  'POST /api/v1/user/preferences/link': 'signs a link and stores nothing',
  'POST /preferences/{token}': 'stores names of topics, which are the brand’s',
  'POST /api/v1/visitors/preferences': 'stores names of topics, which are the brand’s',
  'POST /api/v1/segments/preview': 'a read',
  'POST /api/v1/segments/preview/members': 'a read',
  'POST /api/v1/journeys/validate': 'a read',
  'POST /api/v1/virtual-devices':
    'makes a subscription, as POST /api/v1/subscriptions does; it needs the simulator',
  'POST /api/v1/virtual-devices/{subscription_id}/tap': 'makes a receipt, as POST /api/v1/receipts does',
  'POST /api/v1/virtual-devices/{subscription_id}/dismiss': 'makes a receipt, as POST /api/v1/receipts does',
  'DELETE /api/v1/virtual-devices/{subscription_id}': 'takes no body',
  'POST /sandbox/devices': 'makes a device in the simulator, in memory',
  'POST /sandbox/faults': 'sets a fault of the simulator, in memory',
  'DELETE /sandbox/faults': 'takes no body',
  'POST /api/v1/events/schema/reset': 'names an attribute, which is the schema of the brand',
  'POST /demo/login': 'signs a user id for the demo and stores nothing',
}
/**
 * The brand's own documents and settings. A name that the brand wrote into one stays until the brand changes it. Members
 * sign in and are no people of a brand.
 */
const BRANDS_OWN =
  /^[A-Z]+ \/(?:auth\/.*|api\/v1\/(?:me|team|segments|journeys|campaigns|webhooks|topics|templates|snippets|brands?)(?:\/(?!.*import).*)?)$/

/** Columns in which names of events and attributes are left, and why. docs/events.md says the same. */
const LEFT: Readonly<Record<string, string>> = {
  'attribute_locks.event_name': 'names of events are the schema of the brand',
  'attribute_locks.attribute': 'names of attributes are the schema of the brand',
  'audit.after': 'the journey that the brand wrote, as it was created',
  'event_names.event_name': 'names of events are the schema of the brand',
  'event_batches.attributes_seen': 'names of events and attributes with their counts',
  'idempotency_keys.reply': 'warnings name attributes, and the reply about a journey shows it; for a day',
  'journey_versions.document': 'the journey that the brand wrote: its trigger is the event',
  'journey_versions.listens': 'the journey that the brand wrote: its trigger is the event',
  'journey_versions.messages': 'the journey that the brand wrote: its text names the attribute',
  'series.name': 'names of events again, with numbers that name nobody',
}

test('every row of the route table that writes is planted, or says why not', () => {
  const writing = ROUTES.filter(({ method }) => method !== 'GET').map(
    ({ method, path }) => `${method} ${path}`,
  )
  const known = new Set<string>([...PLANTED_ROUTES, ...Object.keys(NOTHING_OF_A_PERSON)])
  const unknown = writing.filter((address) => {
    const general = address.replace(/\/(?:android|ios|web)\/broadcast/, '/{platform}/broadcast')
    return !known.has(address) && !known.has(general) && !BRANDS_OWN.test(address)
  })
  assert.deepEqual(unknown, [])
})

test('after an erasure no table, file, log line or reply has anything that the person could write', async (context) => {
  const { beckon, folder, garden, database } = await startPlace(context)
  const planted = await plantEverywhere(garden)
  await untilQuiet(database)
  await plantReceipts(database, garden)
  const marks = [...MARKS, ...planted.marks]
  const found = await findInTables(database, marks)
  for (const table of PERSONAL)
    assert.ok(
      found.some((place) => place.startsWith(`${table}.`)),
      `nothing in ${table}`,
    )
  const shown = await findInReplies(garden, await withMessages(database, planted))
  assert.ok(shown.length >= 12, `shown before: ${shown.join(', ')}`)

  const nv = ['u', 'w'].map((name) => ({ userID: `${CANARY}-${name}` }))
  const erased = await call(garden.port, {
    path: '/api/v1/user/delete',
    headers: garden.headers,
    body: { nv },
  })
  assert.equal(erased.text, '{"message":"success","processed":2,"status_code":"200"}')
  const after = await withMessages(database, planted)
  await untilQuiet(database)
  assert.deepEqual(await findInTables(database, marks), [])
  const named = await findInTables(database, [NAME_CANARY])
  assert.deepEqual(named.toSorted(), Object.keys(LEFT).toSorted())
  assert.deepEqual(await findInReplies(garden, after), [])
  assert.deepEqual(await findInFiles(folder, marks), [])
  assert.deepEqual(marksIn(beckon.stdout() + beckon.stderr(), marks), [])
})

/** The tables that must have had a canary, or the test would prove nothing. */
const PERSONAL = [
  'profiles',
  'profile_identities',
  'profile_merges',
  'subscriptions',
  'notifications',
  'enrolments',
  'events',
  'event_ids',
  'rejected_entries',
  'idempotency_keys',
  'webhook_messages',
] as const

type Place = {
  readonly beckon: RunningBeckon
  readonly folder: string
  readonly garden: Garden
  readonly database: string
}

async function startPlace(context: TestContext): Promise<Place> {
  const folder = await freshFolder(context)
  const hooks = await startHookServer()
  endWith(context, hooks.close)
  hooks.answer((response, { path }) => void response.writeHead(path.endsWith('/hook') ? 204 : 500).end())
  const sandbox = await startSandbox()
  endWith(context, async () => sandbox.close())
  const beckon = await startBeckon(context, {
    BECKON_DATA_DIR: folder,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
    BECKON_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
    BECKON_SECRET: SECRET,
    BECKON_LOG_LEVEL: 'debug',
    BECKON_WEBHOOK_HOSTS: hooks.host,
    BECKON_PUSH_HOSTS: new URL(sandbox.servers.web.origin).host,
  })
  await saveSandboxFile(folder, sandboxAccess(sandbox))
  const garden: Garden = {
    port: Number(new URL(beckon.url).port),
    headers: BRAND,
    publishableKey: PUBLISHABLE_KEY,
    sandbox,
    hooks: { taking: hooks.url, refusing: `${hooks.url}/refused` },
  }
  return { beckon, folder, garden, database: (await findPostgres(folder)) ?? '' }
}

/** Waits until nothing is left to count, to merge, to erase, to send or to tell. */
async function untilQuiet(url: string): Promise<void> {
  await until(
    async () =>
      withOwner(url, async (db) => {
        const { rows } = await db.query<{ isBusy: boolean }>(
          `select exists (select from erasures) or exists (select from profile_merges where state = 'moving')
             or exists (select from notifications where state in ('queued', 'sending'))
             or exists (select from webhook_messages where state = 'waiting' and attempt = 0)
             or exists (select from event_batches as b cross join unnest(array['counting', 'journeys']) as name
               where not exists (select from event_readers as r
                 where r.brand_id = b.brand_id and r.reader = name and (r.tx, r.batch_id) >= (b.tx, b.id)))
             or exists (select from tag_changes)
             or exists (select from enrolments where state = 'active' and step <> 'wait') as "isBusy"`,
        )
        return rows[0]?.isBusy === false
      }),
    { what: 'the end of all work' },
  )
}

/** A device reports on every delivery there is. */
async function plantReceipts(url: string, { port }: Garden): Promise<void> {
  const signer = createReceiptSigner({ secret: SECRET, oldSecrets: [], lifeDays: 90 })
  const deliveries = await withOwner(url, async (db) => {
    const { rows } = await db.query<{ brandId: number; notificationId: string; subscriptionId: bigint }>(
      `select brand_id as "brandId", notification_id as "notificationId", subscription_id as "subscriptionId"
       from all_deliveries where state = 'accepted'`,
    )
    return rows
  })
  assert.ok(deliveries.length > 0, 'nothing was delivered')
  const receipts = deliveries.map((delivery) => ({
    receipt: signer.sign(delivery, Date.now()),
    kind: 'clicked',
  }))
  const answer = await call(port, { path: '/api/v1/receipts', body: { receipts: receipts.slice(0, 100) } })
  assert.equal(answer.status, 200, answer.text)
}

/** The columns in which a mark stands, as `table.column`, read from the catalogue. */
async function findInTables(url: string, marks: readonly string[]): Promise<readonly string[]> {
  return withOwner(url, async (db) => {
    const { rows } = await db.query<{ table: string; column: string }>(
      `select relname as table, attname as column from pg_class join pg_attribute on attrelid = pg_class.oid
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and attnum > 0 and not attisdropped`,
    )
    const found: string[] = []
    for (const { table, column } of rows) {
      if (await hasMark(db, { table, column }, marks)) found.push(`${table}.${column}`)
    }
    return found
  })
}

async function hasMark(
  db: Db,
  { table, column }: { readonly table: string; readonly column: string },
  marks: readonly string[],
): Promise<boolean> {
  const patterns = marks.map((mark) => `%${mark}%`)
  const { rows } = await db.query(
    `select from ${table} where ${column}::text ilike any($1::text[]) limit 1`,
    [patterns],
  )
  return rows.length > 0
}

/** The same with the ids of all webhook messages. */
async function withMessages(url: string, planted: Planted): Promise<Planted> {
  const ids = await withOwner(url, async (db) => {
    const { rows } = await db.query<{ id: string }>('select id from webhook_messages order by id limit 20')
    return rows.map(({ id }) => id)
  })
  return { ...planted, ids: { ...planted.ids, message_id: ids } }
}

/** Rows that answer for ever, or with pages that are the same for everybody. */
const NOT_READ = /\/events\/tail|^\/(?:sdk|sw|demo|docs|openapi|sandbox|healthz|readyz|$)/

/** The reads whose reply has a mark that the request did not have. */
async function findInReplies(garden: Garden, planted: Planted): Promise<readonly string[]> {
  const person = { userID: `${CANARY}-u` }
  const range = { from: '2020-01-01', to: '2999-01-01' }
  const event_name = `${NAME_CANARY} event`
  const posts = [
    { path: '/api/v1/user/userData', body: person },
    { path: '/api/v1/user/userData', body: { userID: `${CANARY}-w` } },
    { path: '/api/v1/user/profile', body: { event_name, ...range } },
    {
      path: '/api/v1/events/query',
      body: { ...range, by: [{ attribute: `${NAME_CANARY}_text` }, { person: `${NAME_CANARY}_text` }] },
    },
    { path: '/api/v1/events/funnel', body: { steps: [event_name, event_name] } },
  ]
  const gets = ROUTES.filter(({ method, path }) => method === 'GET' && !NOT_READ.test(path))
    .flatMap(({ path }) => addressesOf(path, planted.ids))
    .map((path) => ({ path, body: undefined }))
  const shown: string[] = []
  for (const { path, body } of [...posts, ...gets]) {
    const { text } = await call(garden.port, { path, headers: garden.headers, ...(body && { body }) })
    if (marksIn(text, [...MARKS, ...planted.marks]).length > 0) shown.push(path)
  }
  return shown
}

/** An address for each of the ids that may stand in the path, with a query where one is needed. */
function addressesOf(path: string, ids: Planted['ids']): readonly string[] {
  const [, noun = ''] = /\/(notifications|webhooks)\/\{id\}/.exec(path) ?? []
  const filled = Object.entries({ ...ids, id: ids[noun] ?? [] }).reduce<readonly string[]>(
    (paths, [name, values]) =>
      paths.flatMap((one) =>
        one.includes(`{${name}}`) ? values.map((value) => one.replace(`{${name}}`, value)) : [one],
      ),
    [path],
  )
  const event = encodeURIComponent(`${NAME_CANARY} event`)
  const queries: Readonly<Record<string, readonly string[]>> = {
    '/api/v1/user/userdata': [`?userID=${CANARY}-u`, `?userID=${CANARY}-w`],
    '/api/v1/events': ['', `?userID=${CANARY}-u`],
    '/api/v1/events/stats': ['?by=day', '?by=event', `?by=attribute&attribute=${NAME_CANARY}_text`],
    '/api/v1/events/paths': [`?event_name=${event}`],
    '/api/v1/events/retention': [`?start_event=${event}`],
    '/api/v1/events/retention/people': lastDays().map((day) => `?start_event=${event}&cohort=${day}`),
    '/api/v1/events/export': ['', '?format=csv'],
    '/api/v1/explain': (ids['notifications'] ?? []).map((id) => `?notification=${id}&user_id=${CANARY}-u`),
  }
  return filled.flatMap((one) => (queries[path] ?? ['']).map((query) => one + query))
}

/** Today and yesterday: the test may begin before midnight. */
function lastDays(): readonly string[] {
  const now = Date.now()
  return [now, now - 86_400_000].map((at) => new Date(at).toISOString().slice(0, 10))
}

function marksIn(text: string, marks: readonly string[]): readonly string[] {
  const lower = text.toLowerCase()
  return marks.filter((mark) => lower.includes(mark.toLowerCase()))
}

/** Files with a mark, beside those of PostgreSQL, which keeps deleted rows until it reuses their place. */
async function findInFiles(folder: string, marks: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(folder, 'postgres')))
  const found: string[] = []
  for (const file of files) {
    if (marksIn(await readFile(file, 'latin1'), marks).length > 0) found.push(file)
  }
  return found
}
