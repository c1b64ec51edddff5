import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Channels } from '../../src/delivery/channels.ts'
import { ChunkCommits } from '../../src/delivery/chunk-commits.ts'
import { runSender } from '../../src/delivery/sender.ts'
import { ADDRESS_BLOCKED, type Verdict } from '../../src/domain/push/verdict.ts'
import { MEASURE_PAYLOAD } from '../../src/providers/payload-bytes.ts'
import { POOL_LIMITS } from '../../src/providers/pool-limits.ts'
import { tellVerdict } from '../../src/providers/verdict-listener.ts'
import { BRAKE_REASON, BRAKE_RULES } from '../../src/rules/push.ts'
import { systemSleep } from '../../src/runtime/clock.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { withOwner } from '../../src/store/db.ts'
import { loadChannel, saveChannel } from '../../src/store/push/channels.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import { saveHostReport } from '../../src/store/push/refused-hosts.ts'
import { freshDatabase, type TestDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { planDue } from '../support/push/drain.ts'
import { type NotificationRef, RECEIPTS } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'
import { untilWorked } from '../support/until-worked.ts'

let fresh: TestDatabase
before(async () => {
  fresh = await freshDatabase()
})
after(async () => fresh.drop())

const PROVOKED = 'not now'
const ACCEPTED: Verdict = { kind: 'accepted' }
const REFUSED: Verdict = { kind: 'paused', reason: 'http_403' }
const SUSPECT: Verdict = { kind: 'gone', reason: 'vapid_key_mismatch', goneAt: null, isSuspect: true }
const GONE: Verdict = { kind: 'gone', reason: 'http_404', goneAt: null, isSuspect: false }
const BLOCKED: Verdict = { kind: 'refused', reason: ADDRESS_BLOCKED }

function hostOf({ address }: { readonly address: string }): string {
  return new URL(address).origin
}

type Answer = () => Promise<Verdict>

/**
 * A worker whose push services answer as they are told, and broadcasts to the same number of browsers of each. `onSend`
 * is the work of handing a message over.
 */
async function startHosts(answers: Readonly<Record<string, Answer>>, onSend = (): void => undefined) {
  const { database } = fresh
  const hosts = Object.keys(answers)
  const asked = new Map<string, number>()
  const clock = new DatabaseClock({ load: async () => loadMoment(database) })
  const channels = new Channels({
    db: database,
    open: async ({ brandId }) => ({
      credential: `${brandId} web`,
      mainHost: null,
      hasManyHosts: true,
      hostOf,
      prepare: () => (recipient, _, listener) => tellVerdict(handOver(hostOf(recipient)), listener),
    }),
  })
  const handOver = async (host: string): Promise<Verdict> => {
    asked.set(host, (asked.get(host) ?? 0) + 1)
    onSend()
    await new Promise((resolve) => setTimeout(resolve, 1))
    return answers[host]?.() ?? REFUSED
  }
  const end = new AbortController()
  const log = memoryLog()
  const running = runSender(
    {
      database,
      clock,
      channels,
      commits: new ChunkCommits(database),
      receipts: RECEIPTS,
      measure: MEASURE_PAYLOAD,
      random: () => 0,
      onVerdict: () => undefined,
    },
    { signal: end.signal, log, meters: loopMeters(new Metrics('test')) },
    'worker',
  )
  const sendTo = async (count: number, brandId?: number) => {
    const ref = { brandId: brandId ?? (await newChannel()), platform: 'web' } as const
    const devices = Array.from({ length: count }, (_, place) => ({
      address: `${hosts[place % hosts.length]}/${ref.brandId}/${place}`,
      p256dh: 'p256dh',
      auth: 'auth',
    }))
    await seedDevices(database, { ...ref, devices })
    const id = await acceptNotification(database, { ...ref, target: { kind: 'all' } })
    await planDue(database)
    return { brandId: ref.brandId, id }
  }
  const until = async (isTrue: () => Promise<boolean>): Promise<void> =>
    untilWorked(isTrue, { lines: log.lines, provoked: PROVOKED })
  const counts = async (ref: NotificationRef) => countsOf(await report(database, ref))
  const stop = async (): Promise<void> => {
    end.abort()
    await running
  }
  return { sendTo, until, counts, asked, stop }
}

async function newChannel(): Promise<number> {
  const { brandId } = await fresh.brand()
  await fresh.database.asBrand(brandId, async (tx) => {
    await saveChannel(tx, { brandId, platform: 'web', facts: {}, now: Date.now() })
  })
  return brandId
}

/** Sends a broadcast to thirty browsers of each host, and waits until no chunk is in work. */
async function broadcast(answers: Readonly<Record<string, Verdict>>, refusedBefore: readonly string[] = []) {
  const { database } = fresh
  const brandId = await newChannel()
  for (const host of refusedBefore) {
    const refusal = { refused: [{ host, reason: 'http_401' }], accepted: [] }
    await saveHostReport(database, { brandId, platform: 'web', version: 1, report: refusal, now: Date.now() })
  }
  const given = Object.entries(answers).map(([host, verdict]) => [host, async () => verdict] as const)
  const run = await startHosts(Object.fromEntries(given))
  const { id } = await run.sendTo(given.length * 30, brandId)
  const inHands = async () =>
    database.query('select from chunks where brand_id = $1 and (leased_by is not null or claims = 0)', [
      brandId,
    ])
  // Retries that are settled together are up to a quarter of an hour apart.
  const hurry = async () =>
    database.query(
      `update chunks set ready_at = clock_timestamp()
       where brand_id = $1 and leased_by is null and attempt > 1 and ready_at > clock_timestamp()`,
      [brandId],
    )
  try {
    await run.until(async () => {
      await hurry()
      return (await inHands()).count === 0
    })
  } finally {
    await run.stop()
  }
  const channel = await loadChannel(database, { brandId, platform: 'web' })
  return {
    counts: await run.counts({ brandId, id }),
    asked: run.asked,
    gone: await goneOf(brandId),
    reason: channel?.pausedReason ?? null,
    refused: channel?.refusedHosts.map(({ host, reason }) => [host, reason]),
  }
}

async function goneOf(brandId: number): Promise<number> {
  const { count } = await fresh.database.query(
    `select from subscriptions where brand_id = $1 and state = 'gone'`,
    [brandId],
  )
  return count
}

test('a push service that turns our key away is left alone, and the browsers of the others are reached', async () => {
  const { counts, reason, refused } = await broadcast({
    'https://one.example': ACCEPTED,
    'https://two.example': REFUSED,
  })
  assert.deepEqual(counts, expectedCounts({ audience: 60, accepted: 30, pending: 30 }))
  assert.equal(reason, null)
  assert.deepEqual(refused, [['two.example', 'http_403']])
})

test('a push service whose address may not be called is named, and one that takes messages again is not', async () => {
  const { counts, refused } = await broadcast(
    { 'https://one.example': ACCEPTED, 'https://two.example': BLOCKED },
    ['one.example', 'three.example'],
  )
  assert.deepEqual(counts, expectedCounts({ audience: 60, accepted: 30, failed: 30 }))
  assert.deepEqual(refused?.toSorted(), [
    ['three.example', 'http_401'],
    ['two.example', 'address_blocked'],
  ])
})

test('a push service that says of every browser that it is gone is named, and keeps all but a few', async () => {
  const { counts, reason, refused, gone } = await broadcast({
    'https://one.example': ACCEPTED,
    'https://two.example': GONE,
  })
  assert.deepEqual(counts, expectedCounts({ audience: 60, accepted: 30, failed: 30 }))
  assert.equal(gone, BRAKE_RULES.devicesMax)
  assert.equal(reason, null)
  assert.deepEqual(refused, [['two.example', BRAKE_REASON]])
})

test('when every push service turns our key away, the channel is paused and says so', async () => {
  const { counts, reason } = await broadcast({
    'https://one.example': REFUSED,
    'https://two.example': REFUSED,
  })
  assert.deepEqual(counts, expectedCounts({ audience: 60, pending: 60 }))
  assert.equal(reason, 'http_403')
})

test('answers that could not be judged at once are judged again, and nobody is sent to twice', async (context) => {
  await withOwner(fresh.url, async (owner) => owner.query(FAIL_ONCE))
  context.after(async () =>
    withOwner(fresh.url, async (owner) => owner.query('drop function fail_once cascade')),
  )
  const healthy = Array.from(
    { length: 8 },
    (_, place) => [`https://${place}.example`, async () => ACCEPTED] as const,
  )
  const run = await startHosts({ ...Object.fromEntries(healthy), 'https://bad.example': async () => SUSPECT })
  try {
    // The failed settlement ends the pass, and the rest of the chunk goes with the next one.
    const ref = await run.sendTo(270)
    await run.until(async () => (await run.counts(ref)).pending === 0)
    assert.deepEqual(await run.counts(ref), expectedCounts({ audience: 270, accepted: 240, failed: 30 }))
    assert.deepEqual([...new Set(run.asked.values())], [30])
  } finally {
    await run.stop()
  }
})

test('a push service that never answers holds up no browser of the others, of this brand or another', async () => {
  const silent = silentHost()
  const run = await startHosts({
    'https://silent.example': silent.answer,
    'https://one.example': async () => ACCEPTED,
  })
  try {
    const [mine, other] = [await run.sendTo(1_500), await run.sendTo(100)]
    await run.until(async () => (await run.counts(mine)).accepted >= 750)
    await run.until(async () => (await run.counts(other)).accepted >= 50)
    assert.ok((run.asked.get('https://silent.example') ?? 0) <= 128 * silent.rounds())
    silent.speak()
    await run.until(async () => (await run.counts(mine)).accepted === 1_500)
    await run.until(async () => (await run.counts(other)).accepted === 100)
  } finally {
    silent.speak()
    await run.stop()
  }
})

test('a chunk that takes long is not held up by messages to a push service that never answers', async () => {
  const silent = silentHost(10 * POOL_LIMITS.answerMs)
  const run = await startHosts(
    { 'https://silent.example': silent.answer, 'https://one.example': async () => ACCEPTED },
    () => keepBusy(SLOW_SEND_MS),
  )
  try {
    const ref = await run.sendTo(1_000)
    await run.until(async () => (await run.counts(ref)).accepted >= 500)
    assert.equal(silent.givenUp(), 0, 'the others waited until the messages to the silent host were given up')
  } finally {
    silent.speak()
    await run.stop()
  }
})

/** Five hundred messages that take so long need more time than the usual pass over a chunk. */
const SLOW_SEND_MS = 7

function keepBusy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** A push host that takes requests and answers none, until it speaks. Like every provider it is given up after a while. */
function silentHost(answerMs = POOL_LIMITS.answerMs) {
  const spoken = Promise.withResolvers<Verdict>()
  const startedAt = performance.now()
  let givenUp = 0
  const giveUp = async (signal: AbortSignal): Promise<Verdict> => {
    await systemSleep(answerMs, signal)
    if (!signal.aborted) givenUp += 1
    return { kind: 'unknown', reason: 'timeout' }
  }
  return {
    answer: async (): Promise<Verdict> => {
      const end = new AbortController()
      return Promise.race([spoken.promise, giveUp(end.signal)]).finally(() => end.abort())
    },
    speak: () => spoken.resolve(ACCEPTED),
    givenUp: () => givenUp,
    /** How often a message can have been given up and tried again by now. */
    rounds: () => 1 + Math.floor((performance.now() - startedAt) / answerMs),
  }
}

test('a broadcast hands over a few milliseconds of messages in a turn of the loop, and serves others in between', async () => {
  let sent = 0
  let most = 0
  const look = (): void => {
    most = Math.max(most, sent)
    sent = 0
    timer = setImmediate(look)
  }
  let timer = setImmediate(look)
  const run = await startHosts({ 'https://one.example': async () => ACCEPTED }, () => {
    sent += 1
    keepBusy(1)
  })
  try {
    const ref = await run.sendTo(1_500)
    await run.until(async () => (await run.counts(ref)).accepted === 1_500)
  } finally {
    clearImmediate(timer)
    await run.stop()
  }
  assert.ok(most > 0 && most <= SENT_OF_TURN_MAX, `${most} messages in one turn`)
})

/** A message takes 1 ms, a slice 4 ms, and a turn has two slices at most: one in each phase of the loop. */
const SENT_OF_TURN_MAX = 12

/** The brake asks the database only after a suspect answer; a sequence counts on when its transaction is undone. */
const FAIL_ONCE = `
  create sequence troubles;
  create function fail_once() returns trigger language plpgsql security definer as $do$ begin
    if nextval('troubles') = 1 then raise exception '${PROVOKED}'; end if;
    return new;
  end $do$;
  create trigger trouble before insert on brake_budgets for each row execute function fail_once()`
