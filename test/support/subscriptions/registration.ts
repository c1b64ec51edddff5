import type { Registration } from '../../../src/domain/subscriptions/subscription.ts'

/** A registration that is fine; a test changes what it is about. */
export function registrationOf(change: Partial<Registration> = {}): Registration {
  return {
    device: androidDevice('token-1'),
    subscriptionId: null,
    userId: null,
    deviceId: null,
    tags: null,
    facts: { timeZone: null, language: null, browser: null, appVersion: null },
    ...change,
  }
}

export function androidDevice(token: string): Registration['device'] {
  return { kind: 'android', token }
}
