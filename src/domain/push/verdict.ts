/**
 * The meaning of an answer, in our words and not in a provider's. Each provider's `verdicts.ts` turns its answers into
 * verdicts, and `outcomeOf` turns a verdict into the outcome of a delivery.
 */
export type Verdict =
  /** The provider has accepted the message. */
  | { readonly kind: 'accepted' }
  /**
   * The address is dead. Its subscription is retired, unless the device has registered again after `goneAt` (null:
   * unknown). `isSuspect` marks an answer that a wrong setting causes for every device; the brake counts these.
   */
  | {
      readonly kind: 'gone'
      readonly reason: string
      readonly goneAt: number | null
      readonly isSuspect: boolean
    }
  /** The provider will never accept this message; the address is valid. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The message was not accepted now. `waitMs` is the wait that the provider asked for, 0 if it did not. */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly waitMs: number
      readonly scope: RetryScope
    }
  /** The credential is refused, so that nothing on this channel can succeed. No attempt is spent. */
  | { readonly kind: 'paused'; readonly reason: string }
  /** The message left and no answer came, so that it may or may not have arrived. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** The reason of a message that Beckon itself refuses: the host's name leads to a private address. */
export const ADDRESS_BLOCKED = 'address_blocked'

/** The messages that must wait: those to this address, those with this credential, or those to this push host. */
export type RetryScope = 'address' | 'credential' | 'host'
