import type { TestContext } from 'node:test'
import { isPublicAddress } from '../../src/domain/values/public-address.ts'
import type { Addressee, ChannelDeps, MessageContent } from '../../src/providers/channel.ts'
import { Http2Pool } from '../../src/providers/http2-pool.ts'
import { POOL_LIMITS, type PoolLimits } from '../../src/providers/pool-limits.ts'
import { TokenCache } from '../../src/providers/token-cache.ts'
import { systemResolve } from '../../src/runtime/address-guard.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { anyContent } from '../support/push/content.ts'
import { memoryTokens } from './memory-tokens.ts'

export const NOW = Date.UTC(2026, 10, 15, 12)

/** A clock that stands still until a test moves it. */
export type TestClock = Clock & { readonly advance: (ms: number) => void }

export function testClock(start = NOW): TestClock {
  let now = start
  return {
    now: () => now,
    advance: (ms) => {
      now += ms
    },
  }
}

export type Bench = ChannelDeps & {
  readonly sandbox: Sandbox
  readonly transport: Http2Pool
  readonly clock: TestClock
}

/** A sandbox, and everything a channel needs to talk to it. All of it ends with the test. */
export async function openBench(t: TestContext, limits: Partial<PoolLimits> = {}): Promise<Bench> {
  const clock = testClock()
  const sandbox = await startSandbox({ clock })
  const transport = poolFor(
    Object.values(sandbox.servers).map((server) => server.origin),
    sandbox.certificate,
    limits,
  )
  t.after(async () => {
    await sandbox.close()
    await transport.close()
  })
  return { sandbox, transport, clock, tokens: new TokenCache(memoryTokens(), clock) }
}

/** A slow machine takes its time; only a test of a limit sets that one shorter. */
const PATIENT = {
  answerMs: 60_000,
  acceptedBodyMs: 60_000,
  connectMs: 60_000,
  waitMs: 60_000,
  pingMs: 60_000,
} as const

export function poolFor(
  origins: readonly string[],
  certificate: string,
  limits: Partial<PoolLimits>,
): Http2Pool {
  return new Http2Pool({
    limits: { ...POOL_LIMITS, ...PATIENT, ...limits },
    guard: {
      allowed: new Set(origins.map((origin) => new URL(origin).host)),
      isPublic: isPublicAddress,
      resolve: systemResolve,
    },
    trust: new Map(origins.map((origin) => [origin, certificate])),
  })
}

export const CONTENT: MessageContent = {
  ...anyContent({
    title: 'Hello',
    body: 'A message',
    url: 'https://shop.example/sale',
    ttlSeconds: 3600,
  }),
  callerNotificationId: 42n,
}

let deliveries = 0

export function recipientOf<Address>(address: Address): Addressee<Address> {
  deliveries += 1
  return {
    address,
    deliveryId: `delivery-${deliveries}`,
    collapseId: `collapse-${deliveries}`,
    receipt: 'receipt',
  }
}

/** Waits until something is true; the test's own timeout is the bound. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve))
}
