import { type ApiCall, callApi, curlOf } from './api.ts'
import { isBadDay, showFate } from './bad-day.ts'
import { logStep } from './log.ts'

export type Sending = {
  readonly secret: string
  /** The recipient: this browser's person, or the demo phone of the sandbox. */
  readonly to: { readonly platform: 'web' | 'android'; readonly userId: string }
}

/** Sends a push as the shop's server would, and logs the result. Returns whether Beckon accepted it. */
export async function sendPush({ secret, to }: Sending): Promise<boolean> {
  const body = {
    user_id: to.userId,
    title: 'Your tea is back',
    message: 'The first flush of Sencha arrived this morning.',
    ...(to.platform === 'web' ? { url: `${location.origin}/demo` } : {}),
  }
  const call: ApiCall = { secret, path: `/api/v1/${to.platform}/send`, body }
  const sending = callApi(call)
  const isSent = await logStep({
    what:
      to.platform === 'web'
        ? 'The shop sends to this browser.'
        : 'The shop sends to the demo phone of the sandbox.',
    code: curlOf(call),
    outcome: sending.then(() => SENT[to.platform]),
  })
  if (isSent && isBadDay()) await showFate(secret, idIn(await sending))
  else if (isSent && to.platform === 'android') await showInbox(secret)
  return isSent
}

function idIn({ notification }: { readonly notification?: unknown }): string {
  return String(
    typeof notification === 'object' && notification !== null ? Reflect.get(notification, 'id') : '',
  )
}

const SENT = {
  web: 'stored, and on its way: a notification appears in a moment',
  android: 'stored, and on its way',
} as const

/** Logs what the sandbox's phone shows. */
async function showInbox(secret: string): Promise<void> {
  await logStep({
    what: 'And this is what the phone shows.',
    code: `curl ${location.origin}/sandbox/inbox -H 'authorization: Bearer …'`,
    outcome: newestArrival(secret),
  })
}

async function newestArrival(secret: string): Promise<string> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { arrivals } = await callApi({ secret, path: '/sandbox/inbox' })
    const shown = Array.isArray(arrivals) ? arrivals.map(shownBy).find(isOurs) : undefined
    if (shown !== undefined) return shown
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new Error('nothing arrived within five seconds; is a worker running?')
}

const TRIES_MAX = 20
const LOOK_MS = 250

/** The part of an FCM message that a person sees. */
function shownBy(arrival: { readonly payload?: { readonly notification?: unknown } }): string {
  return JSON.stringify(arrival.payload?.notification ?? null, null, 2)
}

function isOurs(text: string): boolean {
  return text.includes('Your tea is back')
}
