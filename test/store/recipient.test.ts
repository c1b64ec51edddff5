import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Platform } from '../../src/rules/platforms.ts'
import type { Recipient } from '../../src/store/push/recipient.ts'
import { loadRecipient } from '../../src/store/push/recipients.ts'
import { freshDatabase } from '../support/database/database.ts'
import { anyContent } from '../support/push/content.ts'
import { claimOne, open, planDue } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

/** The fields that a message needs, whatever its text. */
const SENT: Readonly<Record<Platform, readonly (keyof Recipient)[]>> = {
  android: ['address'],
  ios: ['address', 'environment'],
  web: ['address', 'webP256dh', 'webAuth', 'vapidKeyId', 'browser', 'createdAt'],
}
const KEPT = ['id', 'language', 'timeZone', 'isVirtual', 'registeredAt', 'absence'] as const
/** The fields that a text may name. */
const NAMED = ['subscriptionId', 'language', 'timeZone', 'browser', 'appVersion', 'tags'] as const

/** The recipient of a broadcast with this text, and the same device with all its columns. */
async function openOne(platform: Platform, body: string) {
  const { brandId } = await brand()
  const subscriptionId = `${platform} device`
  await seedSubscriptions(database, {
    brandId,
    platform,
    subscriptionId,
    userId: 'ann',
    tags: ['vip', 'new'],
    timeZone: 'Europe/Berlin',
  })
  await database.query(
    `update subscriptions set environment = 'sandbox', language = 'de', browser = 'firefox', app_version = '2.1',
       vapid_key_id = 'key', created_at = '2024-02-29 12:34:56.789123+00', registered_at = '2025-01-31 01:02:03+00'
     where brand_id = $1`,
    [brandId],
  )
  const content = anyContent({ ttlSeconds: 3_600, body })
  await acceptNotification(database, { brandId, platform, target: { kind: 'all' }, content })
  await planDue(database)
  const chunk = await claimOne(database)
  assert.ok(chunk !== null)
  const [recipient, ...others] = (await open(database, chunk))?.recipients ?? []
  const whole = await loadRecipient(database, { brandId, platform, subscriptionId })
  assert.ok(recipient !== undefined && whole !== null)
  assert.deepEqual(others, [])
  return { recipient, whole }
}

for (const platform of ['android', 'ios', 'web'] as const) {
  test(`a broadcast to ${platform} has every column that its messages are sent with`, async () => {
    const { recipient, whole } = await openOne(platform, 'the same for all')
    for (const field of [...SENT[platform], ...KEPT]) assert.deepEqual(recipient[field], whole[field], field)
    assert.equal(recipient.user, null)
  })

  test(`a broadcast to ${platform} with a personal text has every column that a text may name`, async () => {
    const { recipient, whole } = await openOne(platform, 'Hello {{user.user_id}}')
    for (const field of [...NAMED, ...SENT[platform], ...KEPT]) {
      assert.deepEqual(recipient[field], whole[field], field)
    }
    assert.deepEqual(recipient.user, { user_id: 'ann' })
  })
}
