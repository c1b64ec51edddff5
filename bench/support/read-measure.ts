import { Agent, request as send } from 'node:http'
import type { BenchServer } from './bench-server.ts'
import { saveFigure } from './figures.ts'
import { median } from './median.ts'
import type { ReadRow } from './read-rows.ts'
import { verdict } from './verdict.ts'

const ROUNDS_MIN = 20
const ROUNDS_MAX = 200
/** Programs and caches are warm after this time: the code of a read that takes a millisecond is compiled after some hundred calls. */
const WARM_MS = 1_500
const MEASURED_MS = 3_000
const RATIO_MAX = 3

/**
 * Each read as a caller sees it, and the bare query, in turn, so that whatever else the machine does slows both. Both
 * keep their connection open, to Beckon and to PostgreSQL.
 */
export async function measureReads(
  server: BenchServer,
  reads: readonly ReadRow[],
  people: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const read of reads) {
    const both = async (round: number): Promise<Took> => {
      const n = 1 + ((round * 7_919_317) % people)
      const bareMs = await timed(async () => runBare(server, read, n))
      return { bareMs, askedMs: await timed(async () => ask({ ...server, agent }, read, n)) }
    }
    await repeat(both, { roundsMin: 1, forMs: WARM_MS })
    tell(read, await repeat(both, { roundsMin: ROUNDS_MIN, forMs: MEASURED_MS }))
  }
  agent.destroy()
}

type Took = { readonly bareMs: number; readonly askedMs: number }

/** Rounds for some time, and not fewer than `roundsMin`. Round 0 would look for person 1, whose id begins many others. */
async function repeat(
  work: (round: number) => Promise<Took>,
  { roundsMin, forMs }: { readonly roundsMin: number; readonly forMs: number },
): Promise<readonly Took[]> {
  const endsAt = performance.now() + forMs
  const took: Took[] = []
  while (took.length < roundsMin || (took.length < ROUNDS_MAX && performance.now() < endsAt)) {
    took.push(await work(took.length + 1))
  }
  return took
}

function tell(read: ReadRow, took: readonly Took[]): void {
  const asked = took.map((each) => each.askedMs)
  const [askedMs, bareMs] = [median(asked), median(took.map((each) => each.bareMs))]
  const slowMs = asked.toSorted((a, b) => a - b)[Math.ceil(asked.length * 0.95) - 1] ?? 0
  const ratio = askedMs / bareMs
  saveFigure({
    what: read.name,
    unit: 'ms',
    ours: asked,
    limit: { name: 'the bare query', rounds: took.map((each) => each.bareMs) },
    bar: { of: 'limit', atMost: RATIO_MAX },
  })
  verdict(
    `${read.name}: ${askedMs.toFixed(1)} ms, bare ${bareMs.toFixed(1)} ms, ${ratio.toFixed(1)} times; 95 % within ${slowMs.toFixed(1)} ms (guide ${read.guideMs})`,
    ratio <= RATIO_MAX,
    `at most ${RATIO_MAX} times`,
  )
}

async function runBare({ database, brandId }: BenchServer, read: ReadRow, n: number): Promise<void> {
  const { text, values } = read.bare(n)
  await database.asEngine(async (tx) => tx.query(text, [brandId, ...values]))
}

type Caller = Pick<BenchServer, 'port' | 'headers'> & { readonly agent: Agent }

async function ask({ port, headers, agent }: Caller, read: ReadRow, n: number): Promise<void> {
  const { path, body } = read.ask(n)
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const options = { host: '127.0.0.1', port, path, method, headers: { ...json, ...headers }, agent }
  const request = send(options, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      if (response.statusCode === 200) resolve(undefined)
      else reject(new Error(`${read.name}: ${Buffer.concat(chunks).toString()}`))
    })
  })
  request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await work()
  return performance.now() - beganAt
}
