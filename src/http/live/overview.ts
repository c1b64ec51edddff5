import { credentialStatusOf } from '../../domain/push/channel.ts'
import { channelHealth } from '../../domain/push/channel-health.ts'
import { cutSpans, SPAN_MS, storedRuns } from '../../domain/series/spans.ts'
import { LIVE_LIMITS, type OverviewPart } from '../../rules/live.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { Db } from '../../store/db.ts'
import {
  countRefused,
  countTypeConflicts,
  loadQueueAge,
  loadWaitingApprovals,
} from '../../store/live/overview.ts'
import { loadChannel } from '../../store/push/channels.ts'
import { loadLevels, loadSeries, type SeriesCount } from '../../store/series/reads.ts'
import { instantOf, instantOrNull } from '../schema/view.ts'

export type OverviewQuery = {
  readonly brandId: number
  /** The zone of the brand: its day is today. */
  readonly timeZone: string
  readonly hasSandbox: boolean
  /** Whether the operator holds all sending. */
  readonly isHeld: boolean
  readonly now: number
}

/** The parts of the overview, as they are shown. */
export type Overview = { readonly [part in OverviewPart]: object }

/** The state of a brand at a moment: today's numbers, and everything that waits for a person. */
export async function loadOverview(tx: Db, query: OverviewQuery): Promise<Overview> {
  const { brandId, now, isHeld } = query
  const today = await loadToday(tx, query)
  const devices = await loadDevices(tx, brandId)
  const refused = await countRefused(tx, { brandId, since: now - SPAN_MS.day })
  const ageMs = await loadQueueAge(tx, brandId)
  const approvals = await loadWaitingApprovals(tx, brandId)
  return {
    sends: { today: countsOf(today, ['accepted', 'failed', 'received', 'clicked', 'opt_outs']) },
    queue: { age_seconds: ageMs === null ? 0 : Math.max(0, Math.round(ageMs / 1000)), is_held: isHeld },
    approvals: {
      waiting: approvals.count,
      campaigns: approvals.first.map(({ id, name, requestedAt }) => ({
        campaign_id: id,
        name,
        requested_at: instantOf(requestedAt),
      })),
    },
    events: { today: countsOf(today, ['events']).events, minutes: await loadMinutes(tx, query) },
    refused: {
      last_24_hours: refused.count,
      is_capped: refused.count >= LIVE_LIMITS.refusedMax,
      last_at: instantOrNull(refused.lastAt),
    },
    type_conflicts: { attributes: await countTypeConflicts(tx, brandId) },
    devices: { live: total(devices), by_platform: devices },
    channels: { troubled: await loadTroubled(tx, query, devices) },
  }
}

const EVERYTHING = { platform: null, campaignId: null, journeyId: null, step: null, name: null } as const
const TODAY = ['accepted', 'failed', 'received', 'clicked', 'opt_outs', 'events'] as const

async function loadToday(tx: Db, { brandId, timeZone, now }: OverviewQuery): Promise<readonly SeriesCount[]> {
  const edges = cutSpans({ by: 'day', zone: timeZone, fromAt: now, toAt: now + 1 })
  const runs = storedRuns({ by: 'day', edges, isOpen: false })
  return loadSeries(tx, {
    ...EVERYTHING,
    brandId,
    metrics: TODAY,
    edges,
    runs,
    group: null,
  })
}

function countsOf<Name extends string>(
  counts: readonly SeriesCount[],
  names: readonly Name[],
): Record<Name, bigint>
function countsOf(counts: readonly SeriesCount[], names: readonly string[]): Record<string, bigint> {
  return Object.fromEntries(
    names.map((name) => [name, counts.find(({ metric }) => metric === name)?.count ?? 0n]),
  )
}

/** The events of the last minutes, by the time at which they happened; the last of them is not over yet. */
async function loadMinutes(tx: Db, { brandId, timeZone, now }: OverviewQuery): Promise<readonly object[]> {
  const fromAt = now - LIVE_LIMITS.overviewMinutes * SPAN_MS.minute
  const edges = cutSpans({ by: 'minute', zone: timeZone, fromAt, toAt: now + 1 })
  const counts = await loadSeries(tx, {
    ...EVERYTHING,
    brandId,
    metrics: ['events'],
    edges,
    runs: storedRuns({ by: 'minute', edges, isOpen: false }),
    group: null,
  })
  return edges.slice(0, -1).map((at, place) => ({
    at: instantOf(at),
    count: counts.find((row) => row.place === place)?.count ?? 0n,
  }))
}

type DeviceCounts = Readonly<Record<string, number>>

async function loadDevices(tx: Db, brandId: number): Promise<DeviceCounts> {
  const rows = await loadLevels(tx, { ...EVERYTHING, brandId, metrics: ['subscriptions'], group: 'platform' })
  return Object.fromEntries(
    PLATFORM_NAMES.map((name) => [name, Number(rows.find(({ part }) => part === name)?.count ?? 0n)]),
  )
}

function total(devices: DeviceCounts): number {
  return Object.values(devices).reduce((sum, count) => sum + count, 0)
}

/** The channels that do not send as they should. A platform without devices needs no credential. */
async function loadTroubled(
  tx: Db,
  { brandId, hasSandbox, now }: OverviewQuery,
  devices: DeviceCounts,
): Promise<readonly object[]> {
  const troubled: object[] = []
  for (const platform of PLATFORM_NAMES) {
    const troubles = await loadChannel(tx, { brandId, platform })
    const credentials = credentialStatusOf({ platform, version: troubles?.version ?? 0, hasSandbox })
    const { state, reason, since, advice } = channelHealth({ platform, credentials, troubles, now })
    if (state === 'ok' || (state === 'unable' && devices[platform] === 0)) continue
    troubled.push({ platform, state, reason, since: instantOrNull(since), advice })
  }
  return troubled
}
