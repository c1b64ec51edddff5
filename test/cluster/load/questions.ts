import { fieldsOf } from '../fields.ts'
import { READ_LAG_MS } from '../lab/apps.ts'
import type { Lab } from '../lab/lab.ts'
import type { Machine } from '../lab/machine.ts'
import { askPostgres } from '../lab/nodes.ts'
import { waitForPrimary } from '../lab/patroni.ts'
import { processedIn } from './bodies.ts'
import type { LabReply } from './client.ts'
import type { DeedContext } from './deeds.ts'

/** The event that the questions are about. */
const ASKED_EVENT = 'asked'
const DAY_MS = 86_400_000
/** A pause of the writes of all clients that is longer may be the loss of the primary, also when nobody meant to cause one. */
const PAUSE_MS = 1_000
/** The load balancer learns that much later that Beckon is ready again. */
const READY_AGAIN_MS = 2_000

/** A question that a standby may answer: how many events are stored. Times are those of the load. */
export type AskedQuestion = {
  readonly beganAt: number
  readonly endedAt: number
  readonly status: number
  /** The answer; null without one. */
  readonly found: number | null
  /** How many events were acknowledged longer ago than a standby may be behind. */
  readonly least: number
  /** How many events were sent. */
  readonly most: number
}

/** Logs an event, then asks how many there are. */
export async function logAndAsk(context: DeedContext): Promise<void> {
  const { client, world, ledger, round, signal, newMark } = context
  // The version before the upgrade has no such question.
  if (world.isOldVersion) return
  const mark = newMark()
  const event = { userID: world.people[0], event_name: ASKED_EVENT, attributes: { mark }, event_id: mark }
  ledger.asked.said += 1
  const reply = await client.insist({ path: '/api/event', body: { nv: [event] } }, signal)
  if (processedIn(reply) !== 1) return
  ledger.events.push(mark)
  ledger.asked.acknowledgedAt.push(client.now)
  const beganAt = client.now
  const answer = await client.try({ path: '/api/v1/events/query', body: questionOf(round), isRead: true })
  ledger.asked.questions.push({
    beganAt,
    endedAt: client.now,
    status: answer.status,
    found: countIn(answer),
    least: ledger.asked.acknowledgedAt.filter((at) => at < beganAt - READ_LAG_MS).length,
    most: ledger.asked.said,
  })
}

/** From yesterday to tomorrow, because a clock may be off. */
function questionOf(round: string): object {
  const where = [{ attribute: 'mark', is: 'starts_with', value: `${round}-` }]
  return { measure: 'count', event_name: ASKED_EVENT, where, from: dayIn(-1), to: dayIn(1) }
}

function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
}

function countIn({ status, text }: LabReply): number | null {
  if (status !== 200) return null
  return Number(fieldsOf(fieldsOf(fieldsOf(JSON.parse(text))['answer'])['total'])['value'])
}

/** Answers that lack what was acknowledged too long ago, or have more than was said. */
export function wrongAnswers(questions: readonly AskedQuestion[]): readonly string[] {
  return questions
    .filter(({ found, least, most }) => found !== null && !(found >= least && found <= most))
    .map(({ beganAt, found, least, most }) => `${found} of ${least} to ${most} at ${Math.round(beganAt)} ms`)
}

/**
 * Questions that Beckon refused although writes were acknowledged shortly before, meanwhile and shortly after. Those that it never got, or
 * whose machine is gone, are the load balancer's (0, 502, 504).
 */
export function refusedQuestions(
  questions: readonly AskedQuestion[],
  acknowledgedAt: readonly number[],
): readonly string[] {
  const pauses = acknowledgedAt
    .toSorted((one, other) => one - other)
    .flatMap((at, index, all) => {
      const endAt = all[index + 1] ?? Number.POSITIVE_INFINITY
      return endAt - at > PAUSE_MS ? [{ at, endAt }] : []
    })
  return questions
    .filter(({ status }) => ![200, 0, 502, 504].includes(status))
    .filter(
      ({ beganAt, endedAt }) =>
        !pauses.some(({ at, endAt }) => beganAt < endAt + READY_AGAIN_MS && endedAt > at - PAUSE_MS),
    )
    .map(({ beganAt, status }) => `${status} at ${Math.round(beganAt)} ms`)
}

/** The sessions of Beckon on standbys that are on: without one, all questions were answered by the primary. */
export async function countReaders({ nodes }: Lab): Promise<number> {
  const primary = await waitForPrimary()
  const counts = await Promise.all(
    nodes.filter(({ host, init }) => init !== null && host.name !== primary.name).map(countReadersOf),
  )
  return counts.reduce((total, count) => total + count, 0)
}

export async function countReadersOf(standby: Machine): Promise<number> {
  return Number(await askPostgres(standby, COUNT_READERS))
}

const COUNT_READERS = `select count(*) from pg_stat_activity where usename = 'beckon'`
