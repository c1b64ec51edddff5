import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CredentialSender } from '../../src/delivery/channel-sender.ts'
import { reportShown, withVirtualDevices } from '../../src/delivery/virtual-devices.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { SANDBOX_MISSING_REASON } from '../../src/rules/virtual-devices.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import { type Recipient, recipientOf } from '../../src/store/push/recipient.ts'
import { freshDatabase } from '../support/database/database.ts'
import { anyContent } from '../support/push/content.ts'
import { claimOne, planDue } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const CONTENT = { ...anyContent({}), callerNotificationId: null }
const IDS = { deliveryId: '', collapseId: '', receipt: '' }

function device(isVirtual: boolean, id = 1n): Recipient {
  return recipientOf({ id, address: '', language: null, timeZone: null, isVirtual, registeredAt: 0 })
}

/** A sender that answers everything with one verdict, and counts its messages. */
function senderNamed(name: string, verdict: Verdict = { kind: 'accepted' }) {
  const seen = { messages: 0, prepared: 0 }
  const sender: CredentialSender = {
    credential: name,
    mainHost: null,
    hasManyHosts: false,
    hostOf: () => `https://${name}.example`,
    prepare: () => {
      seen.prepared += 1
      return (_, __, listener) => {
        seen.messages += 1
        listener.onVerdict(verdict)
      }
    },
  }
  return { sender, seen }
}

function verdictsOf(sender: CredentialSender, devices: readonly Recipient[]): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const send = sender.prepare(CONTENT)
  for (const one of devices)
    send(one, IDS, {
      onVerdict: (verdict) => verdicts.push(verdict),
      onError: () => assert.fail('an error was told'),
    })
  return verdicts
}

test('a virtual device is sent to in the sandbox, and every other one by its push service', () => {
  const [own, sandbox] = [senderNamed('own'), senderNamed('sandbox')]
  const both = withVirtualDevices(own.sender, sandbox.sender)
  assert.equal(both.hostOf(device(false)), 'https://own.example')
  assert.equal(both.hostOf(device(true)), 'https://sandbox.example')
  verdictsOf(both, [device(false), device(true), device(true)])
  assert.deepEqual([own.seen.messages, sandbox.seen], [1, { messages: 2, prepared: 1 }])
  verdictsOf(both, [device(false)])
  assert.equal(sandbox.seen.prepared, 1, 'nothing is rendered for virtual devices that are not there')
})

test('without a sandbox the message of a virtual device fails, and goes nowhere', () => {
  const { sender, seen } = senderNamed('own')
  const alone = withVirtualDevices(sender, null)
  assert.deepEqual(verdictsOf(alone, [device(true)]), [{ kind: 'refused', reason: SANDBOX_MISSING_REASON }])
  assert.equal(seen.messages, 0)
  assert.notEqual(alone.hostOf(device(true)), sender.hostOf(device(true)))
})

/** The verdict on the message of a virtual device that the sandbox answers with this. */
function told(verdict: Verdict): readonly Verdict[] {
  const both = withVirtualDevices(senderNamed('own').sender, senderNamed('sandbox', verdict).sender)
  return verdictsOf(both, [device(true)])
}

test('an answer of the sandbox is about the one message, whatever it says', () => {
  const reason = 'said'
  assert.deepEqual(told({ kind: 'gone', reason, goneAt: null, isSuspect: false }), [
    { kind: 'refused', reason },
  ])
  assert.deepEqual(told({ kind: 'retry', reason, waitMs: 5, scope: 'credential' }), [
    { kind: 'retry', reason, waitMs: 5, scope: 'address' },
  ])
  assert.deepEqual(told({ kind: 'paused', reason }), [{ kind: 'retry', reason, waitMs: 0, scope: 'address' }])
})

test('a virtual device shows what it accepted; nobody else shows anything by itself', async () => {
  const { brandId } = await brand()
  const [virtual = 0n, refusing = 0n, real = 0n] = await seedSubscriptions(database, { brandId, count: 3 })
  await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const claimed = await claimOne(database)
  assert.ok(claimed !== null)
  const clock = new DatabaseClock({ load: async () => loadMoment(database) })
  const at = Date.now()
  await reportShown({ database, clock }, claimed, [
    { recipient: device(true, virtual), verdict: { kind: 'accepted' }, at },
    { recipient: device(true, refusing), verdict: { kind: 'refused', reason: 'no' }, at },
    { recipient: device(false, real), verdict: { kind: 'accepted' }, at },
  ])
  const { rows } = await database.query<{ id: bigint; kind: string }>(
    'select subscription_id as id, kind from receipts where brand_id = $1',
    [brandId],
  )
  assert.deepEqual(rows, [{ id: virtual, kind: 'received' }])
})
