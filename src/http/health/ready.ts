import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../runtime/clock.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import type { Database } from '../../store/db.ts'
import { latestVersion, schemaVersion } from '../../store/migrate.ts'
import { countPausedChannels } from '../../store/push/channels.ts'
import { loadHold } from '../../store/push/sending-hold.ts'
import { adviseReplication, judgeReplication, loadReplicationAsUser } from '../../store/replication.ts'
import { instantOf } from '../schema/view.ts'

export type ReadyDeps = { readonly database: Database }

/** The result of one check. `detail` is for the person who reads the page at night. */
export type CheckResult = { readonly isOk: boolean; readonly detail: string }

export type ReadyCheck = {
  readonly name: string
  /** Without it no request can be served. A check that is not vital is an alert: it shows, and readiness stays. */
  readonly isVital: boolean
  readonly check: (deps: ReadyDeps) => Promise<CheckResult>
}

/** The checks of `/readyz`. A new part that can fail gets a row here. */
const READY_CHECKS: readonly ReadyCheck[] = [
  { name: 'database', isVital: true, check: checkDatabase },
  { name: 'channels', isVital: false, check: checkChannels },
  { name: 'sending', isVital: false, check: checkSending },
  { name: 'replication', isVital: false, check: checkReplication },
]

export type Readiness = {
  readonly isReady: boolean
  readonly checks: Readonly<Record<string, CheckResult>>
}

/** The readiness of this process. Anybody may ask, so the database is asked at most once a second. */
export class ReadinessProbe {
  readonly #deps: ReadyDeps
  readonly #recent: TtlCache<Readiness>

  constructor({ database, clock }: ReadyDeps & { readonly clock: Clock }) {
    this.#deps = { database }
    this.#recent = new TtlCache({ ttlMs: RECENT_MS, now: clock.now })
  }

  async find(): Promise<Readiness> {
    return this.#recent.get('readiness', async () => findReadiness(this.#deps, READY_CHECKS))
  }
}

const RECENT_MS = 1_000

/** Runs all checks at once, none longer than its bound. */
export async function findReadiness(deps: ReadyDeps, checks: readonly ReadyCheck[]): Promise<Readiness> {
  const findings = await Promise.all(
    checks.map(async (row) => ({ ...row, finding: await findInTime(deps, row) })),
  )
  return {
    isReady: findings.every(({ isVital, finding }) => finding.isOk || !isVital),
    checks: Object.fromEntries(findings.map(({ name, finding }) => [name, finding])),
  }
}

/** The schema's version, which only a database that answers can tell. */
async function checkDatabase({ database }: ReadyDeps): Promise<CheckResult> {
  const found = await schemaVersion(database)
  const wanted = latestVersion()
  if (found === wanted) return { isOk: true, detail: `answers, schema ${found}` }
  if (found > wanted) {
    // A process that is older than the schema goes on with its work, and a load balancer prefers the newer processes.
    return {
      isOk: false,
      detail: `schema ${found}, this Beckon knows ${wanted}: replace it by the newer one`,
    }
  }
  return { isOk: false, detail: `schema ${found}, this Beckon needs ${wanted}: run bin/beckon migrate` }
}

/** Whose they are is not for everybody to read; each brand sees its own under /api/v1/brand/channels. */
async function checkChannels({ database }: ReadyDeps): Promise<CheckResult> {
  const paused = await countPausedChannels(database)
  if (paused === 0) return { isOk: true, detail: 'none is paused' }
  return { isOk: false, detail: `${paused} paused: a credential is refused, or a setting is wrong` }
}

async function checkSending({ database }: ReadyDeps): Promise<CheckResult> {
  const since = await loadHold(database)
  if (since === null) return { isOk: true, detail: 'not held' }
  return { isOk: false, detail: `held since ${instantOf(since)}: bin/beckon resume lets it go on` }
}

/** No names of machines: anybody may read this page. */
async function checkReplication({ database }: ReadyDeps): Promise<CheckResult> {
  const state = judgeReplication(await loadReplicationAsUser(database), database.serversCount)
  const advice = adviseReplication(state)
  if (advice !== null) return { isOk: false, detail: advice }
  return {
    isOk: true,
    detail: state.kind === 'none' ? 'one server, no standbys' : 'commits wait for a standby',
  }
}

const CHECK_TIMEOUT_MS = 2_000

/** A check fails by returning a finding or by throwing; the message of a thrown error becomes the finding. */
async function findInTime(deps: ReadyDeps, { check }: ReadyCheck): Promise<CheckResult> {
  const stop = new AbortController()
  try {
    const late = wait<CheckResult>(CHECK_TIMEOUT_MS, { isOk: false, detail: 'no answer in time' }, stop)
    return await Promise.race([check(deps), late])
  } catch {
    // The reason may name hosts and users, and anybody may read this page; the log has it from elsewhere.
    return { isOk: false, detail: 'not reachable' }
  } finally {
    stop.abort()
  }
}
