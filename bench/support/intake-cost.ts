import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../src/store/db.ts'
import type { TestBrand } from '../../test/support/database/database.ts'
import { keyHeaders } from '../../test/support/processes/server.ts'
import { cpuMs } from './cpu.ts'
import type { PushPlace, RunningBeckon } from './push-place.ts'

/** Calls of a round, each with so many entries, made by so many callers at once. */
export type EventLoad = {
  readonly bodies: readonly string[]
  readonly entries: number
  readonly callers: number
  /** A round lasts so long at least, so that rounds of which one waits longer are charged for the same idle time. */
  readonly roundMsMin?: number
}

/** One round of events, until everything about them is counted: the CPU of one event in microseconds. */
export async function intakeCost(
  { api, apiPid, workerPid, postgresPid, fresh }: PushPlace & RunningBeckon,
  brand: TestBrand,
  { bodies, entries, callers, roundMsMin = 0 }: EventLoad,
): Promise<number> {
  const spentMs = (): number =>
    [apiPid, workerPid, postgresPid].reduce((sum, pid) => sum + cpuMs(pid).server, 0)
  const before = spentMs()
  const isLongEnough = wait(roundMsMin)
  const left = [...bodies]
  const caller = async (): Promise<void> => {
    for (let body = left.pop(); body !== undefined; body = left.pop()) await track(api, brand, body)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  while (!(await isCounted(fresh.database, brand.brandId))) await wait(100)
  await isLongEnough
  return ((spentMs() - before) * 1000) / (bodies.length * entries)
}

async function track(api: string, brand: TestBrand, body: string): Promise<void> {
  const reply = await fetch(api.replace(/v1$/, 'event'), {
    method: 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    body,
  })
  if (reply.status !== 200) throw new Error(await reply.text())
  await reply.text()
}

async function isCounted(database: Database, brandId: number): Promise<boolean> {
  const { rows } = await database.query(
    `select from event_batches as b join event_readers as r using (brand_id)
     where brand_id = $1 and (b.tx, b.id) > (r.tx, r.batch_id) limit 1`,
    [brandId],
  )
  return rows.length === 0
}
