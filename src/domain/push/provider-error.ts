import { FAILING_ADVICE } from '../../rules/channels.ts'
import { type ProviderError, THROTTLED_REASONS, UNWELL_REASONS } from '../../rules/provider-errors.ts'
import { unreachable } from '../unreachable.ts'
import type { Verdict } from './verdict.ts'

/** The class of the error that a verdict is; null for a message that was accepted. */
export function providerErrorOf(verdict: Verdict): ProviderError | null {
  switch (verdict.kind) {
    case 'accepted':
      return null
    case 'gone':
      return 'dead_address'
    case 'refused':
      return 'message'
    case 'paused':
      return 'credential'
    case 'unknown':
      return 'no_answer'
    case 'retry':
      return RETRY_CLASSES.get(verdict.reason) ?? (STATUS.test(verdict.reason) ? 'provider' : 'other')
    default:
      return unreachable(verdict)
  }
}

const STATUS = /^http_\d{3}$/

const ADVICE_CLASSES = { no_token: 'credential', untrusted: 'network', unreachable: 'network' } as const

/** The reasons that have a class of their own; another status means a provider that is not well. */
const RETRY_CLASSES: ReadonlyMap<string, ProviderError> = new Map<string, ProviderError>([
  ...Object.entries(ADVICE_CLASSES).flatMap(([advice, kind]) =>
    FAILING_ADVICE.filter((row) => row.advice === advice).flatMap(({ reasons }) =>
      reasons.map((reason) => [reason, kind] as const),
    ),
  ),
  ...THROTTLED_REASONS.map((reason) => [reason, 'throttled'] as const),
  ...UNWELL_REASONS.map((reason) => [reason, 'provider'] as const),
])
