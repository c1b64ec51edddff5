import { call } from '../../test/support/processes/server.ts'
import type { BenchServer } from './bench-server.ts'
import { median } from './median.ts'
import type { ReadRow } from './read-rows.ts'
import { verdict } from './verdict.ts'

const ROUNDS = 20
const RATIO_MAX = 3

/**
 * Each read as a caller sees it, and the bare query, in turn, so that whatever else the machine does slows both. The
 * first round fills the caches.
 */
export async function measureReads(
  server: BenchServer,
  reads: readonly ReadRow[],
  people: number,
): Promise<void> {
  for (const read of reads) {
    const asked: number[] = []
    const bare: number[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      const n = 1 + ((round * 7_919_317) % people)
      bare.push(await timed(async () => runBare(server, read, n)))
      asked.push(await timed(async () => ask(server, read, n)))
    }
    tell(read, { asked: asked.slice(1), bare: bare.slice(1) })
  }
}

function tell(
  read: ReadRow,
  took: { readonly asked: readonly number[]; readonly bare: readonly number[] },
): void {
  const [askedMs, bareMs] = [median(took.asked), median(took.bare)]
  const slowMs = took.asked.toSorted((a, b) => a - b)[Math.ceil(took.asked.length * 0.95) - 1] ?? 0
  const ratio = askedMs / bareMs
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

async function ask({ port, headers }: BenchServer, read: ReadRow, n: number): Promise<void> {
  const answer = await call(port, { ...read.ask(n), headers })
  if (answer.status !== 200) throw new Error(`${read.name}: ${answer.text}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await work()
  return performance.now() - beganAt
}
