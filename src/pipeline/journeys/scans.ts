import { knownKey, type OpenJourney } from '../../domain/journeys/fold.ts'
import { enter, mayEnter } from '../../domain/journeys/journey.ts'
import type { Trigger } from '../../domain/journeys/plan.ts'
import { type DateTrigger, dateMoments, daysAround } from '../../domain/journeys/time.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { timeZoneOf } from '../../domain/values/time-zone.ts'
import { TooManyDropped } from '../../intake/event-files/too-many-dropped.ts'
import { EVENT_FILE_LIMITS, OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { Db } from '../../store/db.ts'
import { takeReader } from '../../store/events/readers.ts'
import { saveEnrolments } from '../../store/journeys/enrolment-saving.ts'
import { type Coming, type JourneyRef, loadKnown, withoutEntered } from '../../store/journeys/enrolments.ts'
import { loadJourneyPeople } from '../../store/journeys/people.ts'
import { UNREADABLE_EVERY_MS } from '../../store/journeys/plans.ts'
import {
  findHeirs,
  postponeScan,
  type Scan,
  saveScan,
  takeEntered,
  takeLeft,
  takeScan,
  walkDated,
  writeMembers,
} from '../../store/journeys/scans.ts'
import { JOURNEY_READER } from '../../store/journeys/work.ts'
import { loadFilter } from '../../store/push/audience.ts'
import { loadMoment } from '../../store/push/planning.ts'
import type { StepDeps } from './steps.ts'

/** How often segments are compared with what they were, and dates are looked up. */
const SEGMENT_EVERY_MS = 60_000
const DATE_EVERY_MS = 15 * 60_000
/** Dates are found this long before their moment, so that it is kept to the second; who is given one later, with the next look. */
const DATE_AHEAD_MS = 20 * 60_000
/** After a stop of the workers, dates of the last day are made up for. */
const DATE_LATE_MS = 86_400_000
const PEOPLE_MAX = 5_000

/**
 * Looks who entered or left the segment of a journey, or whose date has come; false when somebody else does. Holds the
 * place of the brand's reader, because whoever lets people in must be alone.
 */
export async function scanJourney(
  deps: StepDeps,
  ref: JourneyRef,
  given: { readonly now?: number } = {},
): Promise<boolean> {
  try {
    return await scanOnce(deps, ref, given)
  } catch (cause) {
    // A scan that needs too many old events would need them again in a minute. It waits longer and longer, and the journey says why.
    if (!(cause instanceof TooManyDropped)) throw cause
    await postponeScan(deps.database, ref, {
      reason: OLD_EVENTS_REASON,
      now: given.now ?? (await loadMoment(deps.database)),
      waitMsMin: EVENT_FILE_LIMITS.oldEventsWaitMsMin,
      waitMsMax: EVENT_FILE_LIMITS.oldEventsWaitMsMax,
    })
    return true
  }
}

async function scanOnce(
  { database, plans }: StepDeps,
  ref: JourneyRef,
  given: { readonly now?: number },
): Promise<boolean> {
  return database.asEngine(async (tx) => {
    const { brandId, journeyId } = ref
    const now = given.now ?? (await loadMoment(tx))
    if ((await takeReader(tx, { brandId, reader: JOURNEY_READER })) === null) return false
    const scan = await takeScan(tx, ref, now)
    if (scan === null) return false
    const { version, activeSince, scannedUntil } = scan
    const journey = (await plans.load(tx, brandId, [{ journeyId, version }]))({ journeyId, version })
    if (journey === null) {
      await saveScan(tx, ref, { scanAt: now + UNREADABLE_EVERY_MS, scannedUntil })
      return true
    }
    const open = { journeyId, version, journey, activeSince }
    await scanTrigger(tx, { ...ref, open, scan, now }, journey.trigger)
    return true
  })
}

type Scanning = JourneyRef & { readonly open: OpenJourney; readonly scan: Scan; readonly now: number }

async function scanTrigger(tx: Db, scanning: Scanning, trigger: Trigger): Promise<void> {
  switch (trigger.kind) {
    case 'event':
      return saveScan(tx, scanning, { scanAt: scanning.now + DATE_EVERY_MS, scannedUntil: scanning.now })
    case 'segment':
      return scanSegment(tx, scanning, trigger)
    case 'date':
      return scanDates(tx, scanning, trigger)
    default:
      return unreachable(trigger)
  }
}

/** The first look only writes down who is there: they entered before anybody was asked to watch. */
async function scanSegment(
  tx: Db,
  scanning: Scanning,
  { segmentId, change }: Extract<Trigger, { readonly kind: 'segment' }>,
): Promise<void> {
  const { brandId, journeyId, scan, now } = scanning
  const filter = await loadFilter(tx, { brandId, segmentId })
  const query = { brandId, journeyId, filter, now, limit: PEOPLE_MAX }
  if (scan.scannedUntil === null) {
    await writeMembers(tx, query)
    return saveScan(tx, scanning, { scanAt: now + SEGMENT_EVERY_MS, scannedUntil: now })
  }
  const entered = await takeEntered(tx, query)
  // This comes before the members who left are deleted, because a person who was merged into another counts as one.
  const heirs = await findHeirs(tx, query, entered)
  const left = await takeLeft(tx, query)
  const profileIds = change === 'entered' ? entered.filter((id) => !heirs.has(id)) : left
  await enterPeople(
    tx,
    scanning,
    profileIds.map((profileId) => ({ profileId, at: now })),
  )
  const isFull = entered.length === PEOPLE_MAX || left.length === PEOPLE_MAX
  return saveScan(tx, scanning, { scanAt: isFull ? now : now + SEGMENT_EVERY_MS, scannedUntil: now })
}

async function scanDates(tx: Db, scanning: Scanning, trigger: DateTrigger): Promise<void> {
  const { brandId, scan, now } = scanning
  const after = Math.max(scan.scannedUntil ?? scan.activeSince, now - DATE_LATE_MS)
  const span = { after, until: Math.max(after, now + DATE_AHEAD_MS) }
  const { attribute, isYearly } = trigger
  const days = daysAround(trigger, span)
  const pages = walkDated(tx, { brandId, attribute, days, isYearly, limit: PEOPLE_MAX })
  for await (const page of pages) {
    const people = await loadJourneyPeople(
      tx,
      brandId,
      page.map(({ profileId }) => profileId),
    )
    const due = page.flatMap(({ profileId, value }) => {
      const zone = timeZoneOf(people.get(profileId)?.zone ?? scan.brandZone) ?? 'UTC'
      return dateMoments(trigger, { value, zone }, span).map((at) => ({ profileId, at }))
    })
    // Dates that lay ahead in the last scan are looked at again: a person may have got one since.
    await enterPeople(tx, scanning, await withoutEntered(tx, scanning, due))
  }
  await saveScan(tx, scanning, { scanAt: now + DATE_EVERY_MS, scannedUntil: now })
}

/** Lets in those of them who are there and may enter. Each comes once at most. */
async function enterPeople(
  tx: Db,
  { brandId, open, now }: Scanning,
  coming: readonly Coming[],
): Promise<void> {
  const { journeyId, version, journey } = open
  const profileIds = coming.map(({ profileId }) => profileId)
  if (profileIds.length === 0) return
  const people = await loadJourneyPeople(tx, brandId, profileIds)
  const known = await loadKnown(tx, brandId, { journeyIds: [journeyId], profileIds })
  const insideBy = new Map(known.map((one) => [knownKey(one), one.inside]))
  const changed = coming.flatMap(({ profileId, at }) => {
    const inside = insideBy.get(knownKey({ journeyId, profileId }))
    const isAllowed = mayEnter(journey, { inside: inside ?? 0, isKnown: inside !== undefined })
    if (!people.has(profileId) || !isAllowed) return []
    const { enrolment, notes } = enter(journey, { profileId, at, startAt: at, now })
    return [{ id: null, journeyId, version, enrolment, event: null, notes }]
  })
  await saveEnrolments(tx, { brandId, changed, now })
}
