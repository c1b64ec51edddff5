import { loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { type Fault, primaryOf } from './faults.ts'
import type { Lab } from './lab/lab.ts'
import { isWhole } from './lab/patroni.ts'
import type { LabClient } from './load/client.ts'
import { type Counts, countRound } from './load/count.ts'
import { Load } from './load/load.ts'
import { markLogs, type OutageLines, readOutageLines } from './load/outage-lines.ts'
import { countRefusals, type Refusals, refusalFlaws } from './load/refusals.ts'
import { findRestarts, listRunning } from './load/restarts.ts'
import type { World } from './load/world.ts'

const WARM_MS = 6_000
const AFTER_MS = 8_000
/** The share of the speed from before that counts as full speed, on a machine that does other work too. */
const FULL_SPEED = 0.7
const WINDOW_MS = 3_000
const FULL_SPEED_MAX_MS = 60_000
/** Faults that hit machines of Beckon. In all others, no process of Beckon may end. */
const HITS_BECKON = ['upgrade', 'worker', 'clock']

/**
 * Nobody answered, or one of these: everything else is a mistake of ours. 502 and 504 come from the load balancer, 409 is
 * for a repeated call whose first try is still at work.
 */
export const EXPECTED_STATUSES = [0, 200, 404, 409, 429, 502, 503, 504]

export type RoundResult = Omit<Counts, 'wrong'> & {
  readonly fault: string
  readonly at: string
  readonly commit: string
  /** Of the machine of the lab, at the end of the fault. */
  readonly loadAverage: number
  /** The longest time without an acknowledged write from the fault on. */
  readonly gapMs: number
  /** From the end of the gap until the speed was that of before; null if it never was. */
  readonly fullSpeedMs: number | null
  readonly perSecond: number
  readonly statuses: Readonly<Record<string, number>>
  /** How calls were answered without a majority; null in other faults. */
  readonly refusals: Refusals | null
  /** Programs that ended, and were started again, on machines that were not meant to be hit. */
  readonly restarts: readonly string[]
  /** The lines of outages and the errors with a stack in the logs of Beckon, by machine and process. */
  readonly outageLines: Readonly<Record<string, OutageLines>>
  readonly wrong: readonly string[]
  readonly isGood: boolean
}

export type Round = { readonly name: string; readonly commit: string }

/** Load, a fault, its end, and the count. */
export async function runRound(
  lab: Lab,
  world: World,
  fault: Fault,
  { name, commit }: Round,
): Promise<RoundResult> {
  await until(isWhole, { what: 'a whole cluster' })
  const load = new Load(lab, world, name)
  const { client } = load
  await wait(WARM_MS)
  const running = await listRunning(lab, await primaryOf(lab))
  const logMarks = markLogs(lab.apps)
  const causedAt = client.now
  let cutAt = Number.POSITIVE_INFINITY
  const heal = await fault.cause(lab, () => void (cutAt = client.now))
  const healedAt = client.now
  const [loadAverage = 0] = loadavg()
  await heal()
  await until(isWhole, { what: 'a whole cluster again' })
  await wait(AFTER_MS)
  await untilFullSpeed(client, causedAt)
  await load.stop()
  const counts = await countRound(lab, name, load.ledger)
  const { gap, before, fullSpeedMs } = paceOf(client, causedAt)
  const refusals =
    fault.gapMaxMs === null ? countRefusals(client.answers, { from: cutAt, to: healedAt }) : null
  const restarts = await findRestarts(running)
  const flaws = [
    ...counts.wrong,
    ...(before === 0 ? ['no call acknowledged before the fault'] : []),
    ...(fault.gapMaxMs !== null && gap.ms > fault.gapMaxMs ? [`gap of ${Math.round(gap.ms)} ms`] : []),
    ...(refusals === null ? [] : refusalFlaws(refusals)),
    ...(HITS_BECKON.includes(fault.name) ? [] : restartFlaws(restarts)),
    ...[...client.statuses]
      .filter(([status]) => !EXPECTED_STATUSES.includes(status))
      .map(([status, count]) => `${count} answers with ${status}`),
    ...(fullSpeedMs === null || fullSpeedMs > FULL_SPEED_MAX_MS
      ? [fullSpeedMs === null ? 'full speed never reached' : `full speed after ${Math.round(fullSpeedMs)} ms`]
      : []),
  ]
  return {
    fault: fault.name,
    at: new Date().toISOString(),
    commit,
    loadAverage: Math.round(loadAverage * 10) / 10,
    ...counts,
    gapMs: Math.round(gap.ms),
    fullSpeedMs: fullSpeedMs === null ? null : Math.round(fullSpeedMs),
    perSecond: Math.round((before / WINDOW_MS) * 1_000),
    statuses: Object.fromEntries(client.statuses),
    refusals,
    restarts,
    outageLines: readOutageLines(logMarks),
    wrong: flaws,
    isGood: flaws.length === 0,
  }
}

function restartFlaws(restarts: readonly string[]): readonly string[] {
  return restarts.filter((one) => one.startsWith('Beckon')).map((one) => `${one} ended and was started again`)
}

function longestGap(times: readonly number[], from: number): { readonly ms: number; readonly endAt: number } {
  const after = [from, ...times.filter((at) => at > from).toSorted((one, other) => one - other)]
  const gaps = after.slice(1).map((at, index) => ({ ms: at - (after[index] ?? at), endAt: at }))
  return gaps.reduce((longest, gap) => (gap.ms > longest.ms ? gap : longest), { ms: 0, endAt: from })
}

function rateIn(times: readonly number[], from: number): number {
  return times.filter((at) => at >= from && at < from + WINDOW_MS).length
}

type Pace = {
  readonly gap: ReturnType<typeof longestGap>
  /** The acknowledged calls in a window before the fault. */
  readonly before: number
  readonly fullSpeedMs: number | null
}

function paceOf({ acknowledgedAt }: LabClient, causedAt: number): Pace {
  const gap = longestGap(acknowledgedAt, causedAt)
  const before = rateIn(acknowledgedAt, causedAt - WINDOW_MS)
  return { gap, before, fullSpeedMs: fullSpeedAfter(acknowledgedAt, gap.endAt, before) }
}

/** Goes on with the load until its speed is that of before, or too late. */
async function untilFullSpeed(client: LabClient, causedAt: number): Promise<void> {
  for (;;) {
    const { gap, fullSpeedMs } = paceOf(client, causedAt)
    if (fullSpeedMs !== null || client.now - gap.endAt > FULL_SPEED_MAX_MS) return
    await wait(WINDOW_MS)
  }
}

function fullSpeedAfter(times: readonly number[], from: number, before: number): number | null {
  const end = times.at(-1) ?? from
  for (let at = from; at + WINDOW_MS <= end; at += 500) {
    if (rateIn(times, at) >= before * FULL_SPEED) return at - from
  }
  return null
}
