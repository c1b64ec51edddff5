import { CHANNEL_LIMITS, SANDBOX_PLATFORMS } from '../../rules/channels.ts'
import type { Platform } from '../../rules/platforms.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import type { VapidPair, WebCredential } from './credential.ts'

/** The parts of a credential that a brand may read back: all that are no secret. */
export type ChannelFacts = Readonly<Record<string, string | readonly string[]>>

/** The credential that a brand's messages to a platform are sent with: its own, that of the sandbox, or none. With `none` they fail. */
export type CredentialStatus = 'own' | 'sandbox' | 'none'

type CredentialFacts = {
  readonly platform: Platform
  /** The version of the brand's own credential; 0 while there is none. */
  readonly version: number
  readonly hasSandbox: boolean
}

export function credentialStatusOf({ platform, version, hasSandbox }: CredentialFacts): CredentialStatus {
  if (version > 0) return 'own'
  return hasSandbox && SANDBOX_PLATFORMS.includes(platform) ? 'sandbox' : 'none'
}

/** A VAPID pair without the instant of its first use. */
export type KeyPair = Omit<VapidPair, 'since'>

/** A change of a brand's web channel. */
export type WebChange = {
  /** Null keeps the subject. */
  readonly subject: string | null
  /** A new pair for new subscriptions; null keeps the current pair. */
  readonly pair: KeyPair | null
}

/**
 * The web credential after a change. A pair that is replaced is kept for the subscriptions that were made with it, as
 * long as there are not too many pairs.
 */
export function planWebCredential(
  old: WebCredential | null,
  change: WebChange,
  defaults: { readonly subject: string; readonly pair: KeyPair; readonly now: number },
): WebCredential {
  const { pair } = change
  const { now: since } = defaults
  const subject = change.subject ?? old?.subject ?? defaults.subject
  if (pair === null) return { subject, keys: old?.keys ?? [{ ...defaults.pair, since }] }
  const others = (old?.keys ?? []).filter(({ publicKey }) => publicKey !== pair.publicKey)
  return { subject, keys: [{ ...pair, since }, ...others.slice(0, CHANNEL_LIMITS.vapidKeysMax - 1)] }
}

export function webFacts({ subject, keys: [first, ...others] }: WebCredential): ChannelFacts {
  return { subject, public_key: first.publicKey, old_public_keys: others.map(({ publicKey }) => publicKey) }
}

/** Checks a pair that the caller made. `derived` is the public key that belongs to the private one. */
export function checkPair(given: Partial<KeyPair>, derived: string | null): Result<KeyPair | null> {
  const { publicKey, privateKey } = given
  if (publicKey === undefined && privateKey === undefined) return accept(null)
  if (privateKey === undefined) return reject(fault('field_missing', 'private_key'))
  if (derived === null)
    return reject(badKey('private_key', 'it must be a private key on P-256, in base64url'))
  if (publicKey !== undefined && publicKey !== derived) {
    return reject(badKey('public_key', 'it does not belong to the private key'))
  }
  return accept({ publicKey: derived, privateKey })
}

/** Push services refuse a sender without a contact address. */
export function subjectFault(subject: string): Fault | null {
  const url = URL.parse(subject)
  const isReachable =
    (url?.protocol === 'mailto:' && /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(url.pathname)) ||
    (url?.protocol === 'https:' && url.hostname.includes('.'))
  return isReachable ? null : badKey('subject', 'it must be a mailto: or https: URL with a full domain')
}

function badKey(field: string, detail: string): Fault {
  return fault('field_invalid', field, { detail })
}
