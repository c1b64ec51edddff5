import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ReadySender } from '../../src/delivery/channel-sender.ts'
import { CoolDowns } from '../../src/delivery/health/cool-downs.ts'
import { HostHealth } from '../../src/delivery/health/host-health.ts'
import { ADDRESS_BLOCKED, type Verdict } from '../../src/domain/push/verdict.ts'
import { COOL_DOWN_RULES } from '../../src/rules/push.ts'
import { saveChannelFailure } from '../../src/store/push/channel-failures.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import type { Recipient } from '../../src/store/push/recipient.ts'
import { loadRecipient } from '../../src/store/push/recipients.ts'
import { freshDatabase } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { brand, drop, database } = await freshDatabase()
after(drop)

const HOSTS = ['https://a.example', 'https://b.example']
const NOW = Date.now()
const ACCEPTED = { kind: 'accepted' } as const
const PAUSED = { kind: 'paused', reason: 'forbidden' } as const
const BLOCKED = { kind: 'refused', reason: ADDRESS_BLOCKED } as const

const hostOf = ({ id }: Pick<Recipient, 'id'>): string => HOSTS[Number(id)] ?? ''

const SENDER: ReadySender = {
  kind: 'ready',
  credential: 'web',
  version: 0,
  state: 'working',
  isFailing: false,
  refusedHosts: new Set(),
  mainHost: null,
  hasManyHosts: true,
  hostOf,
  prepare: () => () => undefined,
}

/** A web channel of a brand, and a worker that reports about it. */
async function openPlace() {
  const { brandId } = await brand()
  const ref = { brandId, platform: 'web' } as const
  await saveChannelFailure(database, { ...ref, version: 0, reason: 'x' })
  await seedSubscriptions(database, { ...ref, subscriptionId: 'one' })
  const recipient = await loadRecipient(database, { ...ref, subscriptionId: 'one' })
  assert.ok(recipient !== null)
  const coolDowns = new CoolDowns()
  const health = new HostHealth(database, coolDowns)
  return {
    coolDowns,
    recipientAt: (at: number) => ({ ...recipient, id: BigInt(at) }),
    /** The verdicts of one settlement: the first is of the first host, and so on. */
    report: async (verdicts: readonly Verdict[], sender: Partial<ReadySender> = {}) => {
      const given = verdicts.map((verdict, at) => ({
        recipient: { ...recipient, id: BigInt(at) },
        verdict,
        at,
      }))
      await health.report({ ref, sender: { ...SENDER, ...sender }, verdicts: given, now: NOW })
    },
    hosts: async () =>
      (await loadChannel(database, ref))?.refusedHosts.map(({ host, reason }) => [host, reason]),
  }
}

test('a host whose address may not be called is told, and a refused message is not', async () => {
  const { report, hosts } = await openPlace()
  await report([{ kind: 'refused', reason: 'too_big' }, BLOCKED])
  assert.deepEqual(await hosts(), [['b.example', ADDRESS_BLOCKED]])
})

test('a channel with one push host has no list of hosts', async () => {
  const { report, hosts } = await openPlace()
  await report([BLOCKED], { hasManyHosts: false })
  assert.deepEqual(await hosts(), [])
})

test('a host that refuses the credential is told once it is left alone for that', async () => {
  const { report, hosts, coolDowns, recipientAt } = await openPlace()
  await report([PAUSED])
  assert.deepEqual(await hosts(), [])
  coolDowns.learn(SENDER, recipientAt(1), ACCEPTED)
  for (let told = 0; told < COOL_DOWN_RULES.refusalsInRow; told += 1)
    coolDowns.learn(SENDER, recipientAt(0), PAUSED)
  assert.ok(coolDowns.isRefused('web', HOSTS[0] ?? ''))
  await report([PAUSED])
  assert.deepEqual(await hosts(), [['a.example', 'forbidden']])
})

test('a host that accepts again is taken off the list, and the others stay', async () => {
  const { report, hosts } = await openPlace()
  await report([BLOCKED, BLOCKED])
  const refusedHosts = new Set(['a.example', 'b.example'])
  await report([ACCEPTED], { refusedHosts: new Set() })
  await report([ACCEPTED], { refusedHosts: new Set(['b.example']) })
  await report([{ kind: 'unknown', reason: 'reset' }], { refusedHosts })
  assert.equal((await hosts())?.length, 2)
  await report([ACCEPTED], { refusedHosts })
  assert.deepEqual(await hosts(), [['b.example', ADDRESS_BLOCKED]])
})
