import { setTimeout as wait } from 'node:timers/promises'
import { LIMITS } from '../../../src/rules/limits.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { fieldsOf } from '../fields.ts'
import { HOOK_PORT } from '../lab/apps.ts'
import type { Lab } from '../lab/lab.ts'
import { HUB } from '../lab/network.ts'
import { type Call, LabClient } from './client.ts'

const PEOPLE = 100

type WorldOptions = { readonly people?: number }

/** The fixed part of the load: people with devices, a journey and a webhook. */
export type World = {
  readonly people: readonly string[]
  /** Addresses of the devices. The person of the same index has the iPhone and the browser. */
  readonly ios: readonly string[]
  readonly web: readonly string[]
  readonly newToken: () => string
  /** Everybody who was erased since. */
  readonly gone: string[]
  /** Whether the load begins on the version before the upgrade, which cannot erase somebody with a device: it answers 500. */
  readonly isOldVersion: boolean
}

export async function makeWorld(
  { url, brand, providers }: Lab,
  { people: count = PEOPLE }: WorldOptions = {},
): Promise<World> {
  const client = new LabClient(url, brand)
  const { sandbox } = providers
  const people = Array.from({ length: count }, (_, index) => `person-${index}`)
  await good(client, { path: '/api/v1/brand', method: 'PATCH', body: { profile_merging: true } })
  // Until then a process may go by the settings of before, and the address of an event does nothing.
  await wait(LIMITS.keyCacheMs)
  await good(client, { path: '/api/v1/user/create', body: { nv: people.map((userID) => ({ userID })) } })
  const key = String((await good(client, { path: '/api/v1/web-push-key' }))['public_key'])
  const ios: string[] = []
  const web: string[] = []
  for (const user_id of people) {
    const token = sandbox.apns.newToken()
    await good(client, { path: SUBSCRIPTIONS, body: { platform: 'ios', token, user_id } })
    ios.push(token)
    web.push(await addBrowser(client, { sandbox, key, user_id }))
  }
  await good(client, {
    path: '/api/v1/webhooks',
    body: {
      url: `http://${HUB.address}:${HOOK_PORT}/hook`,
      event_types: ['notification.sent', 'journey.entered'],
    },
  })
  const { journey_id: journey } = fieldsOf(
    (await good(client, { path: '/api/v1/journeys', body: JOURNEY }))['journey'],
  )
  await good(client, { path: `/api/v1/journeys/${String(journey)}/activate`, method: 'POST', body: {} })
  return { people, ios, web, newToken: () => sandbox.fcm.newToken(), gone: [], isOldVersion: false }
}

export const SUBSCRIPTIONS = '/api/v1/subscriptions'
export const JOURNEY_EVENT = 'began'
/** The notifications that the journey sends to each person who enters. */
export const JOURNEY_SENDS = 2

const JOURNEY = {
  name: 'Two messages',
  trigger: { event: JOURNEY_EVENT },
  steps: [
    { id: 'first', send: { to: 'android', title: 'Hello', message: 'The first' } },
    { id: 'pause', wait: { seconds: 2 } },
    { id: 'second', send: { to: 'android', title: 'Hello', message: 'The second' } },
  ],
}

type Browser = { readonly sandbox: Sandbox; readonly key: string; readonly user_id: string }

async function addBrowser(client: LabClient, { sandbox, key, user_id }: Browser): Promise<string> {
  const subscription = sandbox.web.newSubscription(key)
  await good(client, { path: SUBSCRIPTIONS, body: { platform: 'web', subscription, user_id } })
  return subscription.endpoint
}

/** The reply of a call that must succeed. */
async function good(client: LabClient, call: Call): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await client.try(call)
  if (status !== 200) throw new Error(`${call.path}: ${status} ${text}`)
  return fieldsOf(JSON.parse(text))
}
