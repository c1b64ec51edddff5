import { addSample, type ProgressSample, rateOfSamples } from '../../domain/live/progress.ts'
import type { LiveSubject } from '../../domain/live/subject.ts'
import { isObstructed, type Obstacle } from '../../domain/push/channel-health.ts'
import { isOpenTo } from '../../domain/team/scopes.ts'
import type { PushWarnings } from '../../intake/push/warnings.ts'
import { loadVirtualDevices, type VirtualDeps } from '../../intake/subscriptions/virtual-devices.ts'
import type { Scope } from '../../rules/brand.ts'
import { LIVE_LIMITS, OVERVIEW_PARTS } from '../../rules/live.ts'
import type { Clock } from '../../runtime/clock.ts'
import { countInside, listSteps, loadCounts } from '../../store/journeys/reads.ts'
import {
  loadCampaignProgress,
  loadDeliveryErrors,
  loadJourneyState,
  loadNotificationProgress,
  type NotificationProgress,
} from '../../store/live/progress.ts'
import { renderCounts } from '../journeys/view.ts'
import { instantOf } from '../schema/view.ts'
import { renderVirtualDevice } from '../subscriptions/virtual-view.ts'
import type { FeedLook } from './feed.ts'
import { loadOverview, type Overview } from './overview.ts'
import type { RunLook } from './tail.ts'
import { eventText, type LiveUpdate } from './update.ts'
import { pendingIn, renderCampaignProgress, renderNotificationProgress, settledIn } from './view.ts'

export type SourceDeps = {
  readonly clock: Clock
  readonly hasSandbox: () => Promise<boolean>
  readonly virtual: Pick<VirtualDeps, 'receipts' | 'sandbox'>
  readonly pushWarnings: Pick<PushWarnings, 'isHeld' | 'obstacle'>
}

export type SourceOptions = {
  readonly brandId: number
  readonly timeZone: string
  readonly run: RunLook
}

type Of<Kind extends LiveSubject['kind']> = Extract<LiveSubject, { kind: Kind }>

/** Reads the state of a subject again and again; a look that finds nothing new has no update. */
export type LookAt = () => Promise<FeedLook>

export function lookAtNotification(
  deps: SourceDeps,
  options: SourceOptions,
  subject: Of<'notification'>,
): LookAt {
  const { brandId, run } = options
  const pace = new PaceKeeper()
  const show = onChange(deps, subject)
  return async () => {
    const found = await run(async (tx) => {
      const progress = await loadNotificationProgress(tx, { brandId, id: subject.id })
      if (progress === null) return null
      return { progress, errors: await loadDeliveryErrors(tx, { brandId, ids: [subject.id] }) }
    })
    if (found === null) return goneLook(subject)
    const { progress, errors } = found
    const now = deps.clock.now()
    const rate = pace.rate([progress], now)
    const obstacle = await obstacleOf(deps, brandId, [progress])
    return show({ progress: renderNotificationProgress(progress, { errors, rate, now, obstacle }) }, progress)
  }
}

export function lookAtCampaign(deps: SourceDeps, options: SourceOptions, subject: Of<'campaign'>): LookAt {
  const { brandId, run } = options
  const pace = new PaceKeeper()
  const show = onChange(deps, subject)
  return async () => {
    const found = await run(async (tx) => {
      const progress = await loadCampaignProgress(tx, { brandId, id: subject.id })
      if (progress === null) return null
      const ids = progress.parts.map(({ id }) => id)
      return { progress, errors: await loadDeliveryErrors(tx, { brandId, ids }) }
    })
    if (found === null) return goneLook(subject)
    const { progress, errors } = found
    const now = deps.clock.now()
    const rate = pace.rate(progress.parts, now)
    const obstacle = await obstacleOf(deps, brandId, progress.parts)
    return show({ progress: renderCampaignProgress(progress, { errors, rate, now, obstacle }) }, progress)
  }
}

export function lookAtJourney(deps: SourceDeps, options: SourceOptions, subject: Of<'journey'>): LookAt {
  const ref = { brandId: options.brandId, journeyId: subject.id }
  const show = onChange(deps, subject)
  return async () => {
    const found = await options.run(async (tx) => {
      const journey = await loadJourneyState(tx, ref)
      if (journey === null) return null
      const wanted = { ...ref, version: null }
      const counts = renderCounts({
        steps: await listSteps(tx, wanted),
        counts: await loadCounts(tx, wanted),
        inside: await countInside(tx, wanted),
      })
      return { ...journey, counts }
    })
    return found === null ? goneLook(subject) : show(found, { finishedAt: null })
  }
}

/** The virtual devices in the form of `GET /api/v1/virtual-devices`; null on a machine without a sandbox. */
export function lookAtVirtualDevices(
  deps: SourceDeps,
  { brandId, run }: SourceOptions,
  subject: LiveSubject,
): LookAt {
  const show = onChange(deps, subject)
  const database: VirtualDeps['database'] = { asBrand: async (_brandId, work) => run(work) }
  return async () => {
    const screens = await loadVirtualDevices({ ...deps.virtual, database }, brandId)
    return show({ virtual_devices: screens?.map(renderVirtualDevice) ?? null }, { finishedAt: null })
  }
}

/** Every reader gets the parts that its scopes show. */
export function lookAtOverview(deps: SourceDeps, options: SourceOptions): LookAt {
  const { brandId, timeZone, run } = options
  return async () => {
    const now = deps.clock.now()
    const facts = { hasSandbox: await deps.hasSandbox(), isHeld: await deps.pushWarnings.isHeld() }
    const overview = await run(async (tx) => loadOverview(tx, { brandId, timeZone, now, ...facts }))
    const textFor = (scopes: readonly Scope[]): string =>
      eventText({
        event: 'overview',
        data: { subject: 'overview', as_of: instantOf(now), overview: partsFor(overview, scopes) },
      })
    const update: LiveUpdate = { kind: 'state', subject: 'overview', textFor }
    return { update, pauseMs: LIVE_LIMITS.overviewEveryMs }
  }
}

function partsFor(overview: Overview, scopes: readonly Scope[]): object {
  const shown = Object.entries(OVERVIEW_PARTS).filter(([, wanted]) => isOpenTo(scopes, wanted))
  const names = new Set(shown.map(([name]) => name))
  return Object.fromEntries(Object.entries(overview).filter(([name]) => names.has(name)))
}

/** The rate of the last looks. */
class PaceKeeper {
  #samples: readonly ProgressSample[] = []

  rate(parts: readonly NotificationProgress[], now: number): number | null {
    this.#samples = addSample(this.#samples, { at: now, settled: settledIn(parts) })
    return pendingIn(parts) === 0 ? null : rateOfSamples(this.#samples)
  }
}

/** The first reason why nothing of these is sent at present. */
async function obstacleOf(
  { pushWarnings }: SourceDeps,
  brandId: number,
  parts: readonly NotificationProgress[],
): Promise<Obstacle | null> {
  for (const { platform, state } of parts) {
    const found = isObstructed(state) ? await pushWarnings.obstacle({ brandId, platform }) : null
    if (found !== null) return found
  }
  return null
}

/** Makes an update of what differs from the look before. */
function onChange({ clock }: SourceDeps, { kind, name }: LiveSubject) {
  let before = ''
  return (shown: object, { finishedAt }: { readonly finishedAt: number | null }): FeedLook => {
    const pauseMs = finishedAt === null ? LIVE_LIMITS.everyMs : LIVE_LIMITS.overEveryMs
    const body = eventText({ event: kind, data: shown })
    if (body === before) return { update: null, pauseMs }
    before = body
    const text = eventText({
      event: kind,
      data: { subject: name, as_of: instantOf(clock.now()), ...shown },
    })
    return { update: { kind: 'state', subject: name, textFor: () => text }, pauseMs }
  }
}

/** A subject that was deleted, with all that it was. */
function goneLook({ name }: LiveSubject): FeedLook {
  const text = eventText({ event: 'gone', data: { subject: name } })
  return { update: { kind: 'state', subject: name, textFor: () => text }, pauseMs: 0, isGone: true }
}
