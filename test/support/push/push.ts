import assert from 'node:assert/strict'
import type { Draft } from '../../../src/domain/push/notification.ts'
import { parsePushBody } from '../../../src/http/push/body.ts'
import type { PushAddress } from '../../../src/http/push/field-rules.ts'
import { PLATFORM_NAMES } from '../../../src/rules/platforms.ts'
import { PUSH_MODE_NAMES } from '../../../src/rules/push.ts'

/** All nine endpoints. */
export const PUSH_ADDRESSES: readonly PushAddress[] = PLATFORM_NAMES.flatMap((platform) =>
  PUSH_MODE_NAMES.map((mode) => ({ platform, mode })),
)

/** The least a body needs at an address. */
export function leastBody({ mode }: PushAddress): Readonly<Record<string, unknown>> {
  const content = { title: 'Hello', message: 'World' }
  if (mode === 'send') return { user_id: 'u1', ...content }
  return mode === 'segment' ? { segment_id: 7, ...content } : content
}

export function acceptedDraft(address: PushAddress, extra: object): Draft {
  const body = parsePushBody(address, { ...leastBody(address), ...extra })
  assert.ok(body.ok, body.ok ? '' : JSON.stringify(body.rejection.faults))
  return body.value.draft
}

/** What is wrong, as `field:code`, in the order it was found. */
export function faultsFor(address: PushAddress, body: unknown): readonly string[] {
  const parsed = parsePushBody(address, body)
  return parsed.ok ? [] : parsed.rejection.faults.map(({ field, code }) => `${field}:${code}`)
}

export function faultsOf(address: PushAddress, extra: object): readonly string[] {
  return faultsFor(address, { ...leastBody(address), ...extra })
}
