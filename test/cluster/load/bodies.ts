import { fieldsOf } from '../fields.ts'
import type { LabReply } from './client.ts'
import type { World } from './world.ts'

export function eventOf({ people }: World, mark: string) {
  return { userID: people[random(people.length)] ?? '', event_name: 'seen', ltv: '1', attributes: { mark } }
}

export function deviceOf(mark: string): string {
  return `device-${mark}`
}

/** `markIn` finds it in what the device got. */
export function textOf(mark: string): string {
  return `call ${mark}.`
}

export function markIn(said: unknown): string | null {
  return /call ([\w-]+)\./.exec(JSON.stringify(said))?.[1] ?? null
}

export function processedIn(reply: LabReply | null): number {
  return reply?.status === 200 ? Number(fieldsOf(JSON.parse(reply.text))['processed']) : 0
}

export function notificationIn(reply: LabReply | null): string | null {
  if (reply?.status !== 200) return null
  return String(fieldsOf(fieldsOf(JSON.parse(reply.text))['notification'])['id'])
}

export function random(below: number): number {
  return Math.floor(Math.random() * below)
}

type Push = {
  readonly mark: string
  readonly platform: 'ios' | 'web'
  readonly body: { readonly user_id: string; readonly title: string; readonly message: string }
  readonly wanted: readonly string[]
}

/** A message to the phone or the browser of somebody. */
export function pushOf(world: World, mark: string): Push {
  const index = random(world.people.length)
  const platform = random(2) === 0 ? 'ios' : 'web'
  const body = { user_id: world.people[index] ?? '', title: 'Hello', message: textOf(mark) }
  return { mark, platform, body, wanted: [world[platform][index] ?? ''] }
}
