import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Route } from '../../src/http/route.ts'
import { startPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import type { Database } from '../../src/store/db.ts'
import type { TestBrand } from '../../test/support/database/database.ts'
import {
  keyHeaders,
  PATIENT_WITH_CALLERS,
  type RunningServer,
  startServer,
  type TestServerOptions,
} from '../../test/support/processes/server.ts'

export type BenchServer = {
  readonly server: RunningServer
  readonly database: Database
  /** Of the database, for its owner. */
  readonly url: string
  readonly port: number
  readonly postgresPid: number
  readonly brandId: number
  /** What a caller of the brand sends. */
  readonly headers: Readonly<Record<string, string>>
  /** One more brand. */
  readonly brand: () => Promise<TestBrand>
  readonly stop: () => Promise<void>
}

/** An API server on a PostgreSQL of its own, as durable as in production, with a brand that nothing limits. */
export async function startBenchServer(
  routes: readonly Route[],
  prepare: string,
  settings: Pick<TestServerOptions, 'budgets'> = {},
): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
  const postgres = await startPostgres({ dataDir })
  process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
  const server = await startServer({ ...settings, routes, options: BENCH_OPTIONS })
  const { deps, port, url, asOwner, brand, close } = server
  await asOwner(prepare)
  const mine = await brand()
  const stop = async (): Promise<void> => {
    await close()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const { brandId } = mine
  return {
    server,
    database: deps.database,
    url,
    port,
    postgresPid: postgres.pid,
    brandId,
    headers: keyHeaders(mine),
    brand: async () => brand(),
    stop,
  }
}

/** The options of an API server that is measured: nothing limits its callers. */
export const BENCH_OPTIONS = {
  ...PATIENT_WITH_CALLERS,
  // A window so short holds about as many hits as the 500 of the real one, so counting hits has its real cost.
  ratePolicies: { push: { requestsMax: 1_000_000_000, windowMs: 1_000 } },
} as const
