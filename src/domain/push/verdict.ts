/**
 * What came of one attempt, in our words and not a provider's. `settle` turns it into the delivery's next state;
 * a provider's `verdicts.ts` is where each of its answers finds its place here.
 */
export type Verdict =
  /** The provider has it. */
  | { readonly kind: 'accepted' }
  /**
   * The address is dead and is retired, if the device has not registered again after `goneAt` (null: unknown).
   * `isSuspect` marks an answer that a wrong setting gives for every device; the brake counts those.
   */
  | {
      readonly kind: 'gone'
      readonly reason: string
      readonly goneAt: number | null
      readonly isSuspect: boolean
    }
  /** This message will never be taken; the address is fine. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not taken now. `waitMs` is the least the provider wants us to wait, 0 when it did not say. */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly waitMs: number
      readonly scope: RetryScope
    }
  /** The credential is bad: nothing on this channel can succeed. It is paused, and no attempt is spent. */
  | { readonly kind: 'paused'; readonly reason: string }
  /** The message left and no answer came: it may or may not have arrived. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** The reason of what was refused by ourselves: the name leads to an address that nobody may be sent to. */
export const ADDRESS_BLOCKED = 'address_blocked'

/** Who else must wait: only this address, everything sent with this credential, or everything for this host. */
export type RetryScope = 'address' | 'credential' | 'host'
