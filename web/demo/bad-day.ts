import { type ApiCall, callApi, curlOf } from './api.ts'
import { element, make } from './element.ts'
import { logStep } from './log.ts'

/** The faults that the demo offers, as bodies of `POST /sandbox/faults`. */
const BAD_DAYS: readonly BadDay[] = [
  { name: 'is busy for 5 seconds: 429', body: { fault: 'answer', status: 429, retry_after: 5 } },
  { name: 'is down: 503', body: { fault: 'answer', status: 503 } },
  { name: 'says nothing', body: { fault: 'hang' } },
  { name: 'answers after 15 seconds', body: { fault: 'late', delay_ms: 15_000 } },
  { name: 'answers one byte a second', body: { fault: 'drip' } },
  { name: 'resets every message', body: { fault: 'reset' } },
  { name: 'takes it and hangs up', body: { fault: 'close' } },
  { name: 'sends us elsewhere: 302', body: { fault: 'answer', status: 302 } },
]

type BadDay = { readonly name: string; readonly body: object }

const SHARES = [
  { name: 'for all messages', share: 1 },
  { name: 'for every second message', share: 0.5 },
  { name: 'for one message of ten', share: 0.1 },
] as const

/** A bad day of the demo ends by itself. */
const SECONDS = 600

let isBad = false

export function isBadDay(): boolean {
  return isBad
}

export function showBadDays(): void {
  element('fault', HTMLSelectElement).append(...BAD_DAYS.map(({ name }) => make('option', '', name)))
  element('share', HTMLSelectElement).append(...SHARES.map(({ name }) => make('option', '', name)))
}

/** Ends the last bad day first: one is enough to watch. */
export async function startBadDay(secret: string): Promise<void> {
  const day = BAD_DAYS[element('fault', HTMLSelectElement).selectedIndex]
  const { share } = SHARES[element('share', HTMLSelectElement).selectedIndex] ?? SHARES[0]
  if (day === undefined) return
  if (isBad) await callApi({ secret, method: 'DELETE', path: PATH })
  const call: ApiCall = { secret, path: PATH, body: { ...day.body, share, seconds: SECONDS } }
  const isSet = await logStep({
    what: `The push service ${day.name}. Send one now, and see what Beckon does.`,
    code: curlOf(call),
    outcome: callApi(call).then(() => 'set, for ten minutes and for this brand alone'),
  })
  if (isSet) showDay(`The sandbox ${day.name}.`)
}

export async function endBadDay(secret: string): Promise<void> {
  const call: ApiCall = { secret, method: 'DELETE', path: PATH }
  const isOver = await logStep({
    what: 'The push service is well again. Messages that wait are tried again by themselves.',
    code: curlOf(call),
    outcome: callApi(call).then(() => 'no fault is set'),
  })
  if (isOver) showDay(null)
}

/** Logs what Beckon says of a message while the push service has its bad day. */
export async function showFate(secret: string, notification: string): Promise<void> {
  const call: ApiCall = { secret, path: `/api/v1/notifications/${notification}/deliveries` }
  await logStep({
    what: 'And this is what Beckon says of it.',
    code: curlOf(call),
    outcome: fateOf(call, notification),
  })
}

async function fateOf(call: ApiCall, notification: string): Promise<string> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const { deliveries } = await callApi(call)
    const [delivery] = Array.isArray(deliveries) ? deliveries.map(wordsOf) : []
    if (delivery !== undefined) return delivery
    const { notification: told } = await callApi({ ...call, path: `/api/v1/notifications/${notification}` })
    const reason = reasonOf(told)
    if (reason !== null) return `it waits: ${reason}`
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return 'the push service still says nothing; Beckon waits, and tries again'
}

const PATH = '/sandbox/faults'
const LOOKS_MAX = 120
const LOOK_MS = 500

function wordsOf({ state, reason }: { readonly state?: unknown; readonly reason?: unknown }): string {
  return typeof reason === 'string' ? `${String(state)}: ${reason}` : String(state)
}

function reasonOf(told: unknown): string | null {
  const reason = typeof told === 'object' && told !== null ? Reflect.get(told, 'reason') : null
  return typeof reason === 'string' ? reason : null
}

function showDay(words: string | null): void {
  isBad = words !== null
  element('day', HTMLParagraphElement).textContent =
    words ?? 'Let the sandbox have trouble, and see what Beckon does with your messages.'
  element('day-end', HTMLButtonElement).hidden = words === null
}
