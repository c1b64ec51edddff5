import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderPayload } from '../../src/delivery/payloads.ts'
import { formatKey, KEY_RANDOM_BYTES } from '../../src/domain/api-key.ts'
import type { Route } from '../../src/http/route.ts'
import { HttpServer } from '../../src/http/server.ts'
import { KEY_KINDS } from '../../src/rules/scopes.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomBits } from '../../src/runtime/crypto.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { startPostgres } from '../../src/runtime/postgres/start.ts'
import { createKey } from '../../src/store/api-keys.ts'
import { ensureBrand } from '../../src/store/brands.ts'
import { Database, withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'

export type BenchServer = {
  readonly database: Database
  readonly port: number
  readonly postgresPid: number
  readonly brandId: number
  /** What a caller of the brand sends. */
  readonly headers: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/** An API server on a PostgreSQL of its own, as durable as in production, with a brand that nothing limits. */
export async function startBenchServer(routes: readonly Route[], prepare: string): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
  const postgres = await startPostgres({ dataDir })
  await migrate(postgres.url)
  await withOwner(postgres.url, async (owner) => owner.query(prepare))
  const database = new Database({ url: postgres.url, connectionsMax: 10, name: 'bench' })
  const { brandId, headers } = await makeBrand(database)
  const server = new HttpServer(depsOf(database), routes, {
    ratePolicies: { push: { requestsMax: 1_000_000_000, windowMs: 60_000 } },
  })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  const stop = async (): Promise<void> => {
    await server.stop()
    await database.close()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { database, port, postgresPid: postgres.pid, brandId, headers, stop }
}

async function makeBrand(database: Database) {
  const now = Date.now()
  const { id: brandId, externalId } = await ensureBrand(database, { externalId: 'bench', name: 'bench', now })
  const plaintext = formatKey('secret', randomBits(KEY_RANDOM_BYTES))
  const { scopes } = KEY_KINDS.secret
  await createKey(database, { brandId, kind: 'secret', plaintext, scopes, label: 'bench', now })
  return { brandId, headers: { 'x-api-key': plaintext, 'x-brand-id': externalId } }
}

function depsOf(database: Database) {
  const metrics = new Metrics('bench')
  return {
    database,
    clock: systemClock,
    log: createLog({ level: 'error', process: 'bench' }),
    pushHosts: new Set<string>(),
    renderPayload,
    metrics,
    renderMetrics: async () => metrics.render(),
  }
}
