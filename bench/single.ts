/**
 * How long a single send takes when nothing else happens: from the beginning of its call until the push service has it,
 * beside the two things that it cannot do without, measured in the same calls and in turn with them: the call itself, until
 * its 200, and one round trip to the push service on an open connection.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { seedAudience } from './support/audience.ts'
import { FarEnd } from './support/far-end.ts'
import { saveFigure } from './support/figures.ts'
import { median } from './support/median.ts'
import { withPushPlace } from './support/push-place.ts'
import { verdict } from './support/verdict.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 200)
/** Programs and tokens are made, and the code is compiled, by then. */
const WARM_UPS = 50
/** Less often than the rate limit of an endpoint, and long enough that nothing is left of the send before. */
const EVERY_MS = 150
const MINUTES_MAX = 10
const RATIO_MAX = 1.5
const PAYLOAD = JSON.stringify({ aps: { alert: { title: 'Hello', body: 'It arrives tomorrow.' } } })

type Took = { readonly handedMs: number; readonly acceptedMs: number; readonly tripMs: number }

await withPushPlace(MINUTES_MAX, async ({ fresh, folder, certificateFile, startSandbox, startBeckon }) => {
  const arrivals: number[] = []
  let wake: (() => void) | null = null
  const farEnd = await FarEnd.start(certificateFile, (atMs) => {
    arrivals.push(atMs)
    wake?.()
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const brand = await fresh.brand()
    await seedAudience(fresh.url, [{ brandId: brand.brandId, count: 1 }])
    const access = farEnd.instead(await startSandbox(0))
    await saveSandboxFile(folder, access)
    const { api } = await startBeckon()
    const session = connect(farEnd.origin, { ca: access.certificate })
    const untilArrived = async (): Promise<number> => {
      while (arrivals.length === 0) await new Promise<void>((resolve) => void (wake = resolve))
      return arrivals.shift() ?? 0
    }
    const measureOnce = async (): Promise<Took> => {
      await delay(EVERY_MS)
      const beganAt = nowMs()
      await send(`${api}/ios/send`, { ...keyHeaders(brand), 'content-type': 'application/json' }, agent)
      const acceptedMs = nowMs() - beganAt
      const handedMs = (await untilArrived()) - beganAt
      await delay(EVERY_MS)
      const tripMs = await roundTrip(session)
      await untilArrived()
      return { handedMs, acceptedMs, tripMs }
    }
    for (let round = 0; round < WARM_UPS; round += 1) await measureOnce()
    const took: Took[] = []
    while (took.length < ROUNDS) took.push(await measureOnce())
    session.close()
    judge(took)
  } finally {
    agent.destroy()
    await farEnd.stop()
  }
})

/** The clock that all processes of the machine share. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

async function send(url: string, headers: Record<string, string>, agent: Agent): Promise<void> {
  const call = request(url, { method: 'POST', headers, agent })
  call.end(JSON.stringify({ subscription_id: 'sub-1', title: 'Hello', message: 'It arrives tomorrow.' }))
  const [reply] = await once(call, 'response')
  await once(reply.resume(), 'end')
  if (reply.statusCode !== 200) throw new Error(`/send was answered with ${reply.statusCode}`)
}

async function roundTrip(session: ClientHttp2Session): Promise<number> {
  const beganAt = nowMs()
  const call = session.request({ ':method': 'POST', ':path': '/3/device/0' })
  call.end(PAYLOAD)
  await once(call.resume(), 'end')
  return nowMs() - beganAt
}

function judge(took: readonly Took[]): void {
  const handed = took.map(({ handedMs }) => handedMs)
  const least = median(took.map((one) => one.acceptedMs)) + median(took.map((one) => one.tripMs))
  const ratio = median(handed) / least
  const parts = { 'the call until its 200': median(took.map((one) => one.acceptedMs)) }
  verdict(
    `a single send is with the push service after ${median(handed).toFixed(2)} ms in the middle of ${took.length}, ` +
      `an accepted call and a round trip take ${least.toFixed(2)} ms: ${ratio.toFixed(2)} times`,
    ratio <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
  saveFigure({
    what: 'a single send until the push service has it, p50',
    unit: 'ms',
    ours: handed,
    limit: {
      name: 'an accepted call and a round trip to the push service',
      rounds: took.map(({ acceptedMs, tripMs }) => acceptedMs + tripMs),
    },
    bar: { of: 'limit', atMost: RATIO_MAX },
    ratio,
    parts: { ...parts, 'a round trip to the push service': median(took.map((one) => one.tripMs)) },
  })
}
