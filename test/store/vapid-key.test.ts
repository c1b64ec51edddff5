import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saveChannel } from '../../src/store/push/channels.ts'
import { loadRecipient } from '../../src/store/push/recipients.ts'
import { saveRegistrations } from '../../src/store/subscriptions/registrations.ts'
import { freshDatabase } from '../support/database/database.ts'
import { registrationOf } from '../support/subscriptions/registration.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('a browser keeps the key it was subscribed with, until it brings another endpoint', async () => {
  const { brandId } = await brand()
  const register = async (endpoint: string, now: number): Promise<string | null> => {
    const device = { kind: 'web', endpoint, p256dh: 'p256dh', auth: 'auth' } as const
    const registrations = [registrationOf({ device, subscriptionId: 'the-browser' })]
    await database.asBrand(brandId, async (tx) =>
      saveRegistrations(tx, { brandId, registrations, now, source: 'device' }),
    )
    const found = await loadRecipient(database, { brandId, platform: 'web', subscriptionId: 'the-browser' })
    return found?.vapidKeyId ?? null
  }
  const useKey = async (key: string): Promise<void> =>
    database.asBrand(brandId, async (tx) =>
      saveChannel(tx, { brandId, platform: 'web', facts: { public_key: key }, now: 1 }),
    )
  await useKey('first')
  assert.equal(await register('https://push.example.com/a', 1), 'first')
  await useKey('second')
  assert.equal(await register('https://push.example.com/a', 2), 'first')
  assert.equal(await register('https://push.example.com/b', 3), 'second')
})
