import { webSubscription } from '../../test/support/subscriptions/devices.ts'

const { keys } = webSubscription()

/** The three platforms in turn, with the facts a list from another service has; three devices for two people. */
export function deviceRowAt(at: number): object {
  const facts = { user_id: `user-${at % 66_667}`, tags: ['imported', `t${at % 50}`], language: 'de' }
  const id = at.toString(16).padStart(64, '0')
  if (at % 3 === 0) return { platform: 'android', token: `fcm-${id}${id}`, android_id: id, ...facts }
  if (at % 3 === 1) return { platform: 'ios', token: id, ...facts }
  const endpoint = `https://fcm.googleapis.com/fcm/send/${id}${id}`
  return { platform: 'web', subscription: { endpoint, keys }, ...facts }
}
