import type { SandboxAccess } from '../../src/delivery/sandbox/file.ts'
import type { IosCredential } from '../../src/domain/push/credential.ts'
import type { Platform } from '../../src/rules/platforms.ts'
import type { P256Pair } from '../../src/runtime/secrets/key-pair.ts'
import type { SeedDevice } from '../../test/support/subscriptions/subscriptions.ts'

/** What somebody else's client, or our own without the rest of Beckon, is to do, in a process of its own. */
export type PeerJob = {
  readonly peer: 'web-push' | 'node-apn' | 'firebase-admin' | 'own client'
  readonly platform: Platform
  readonly access: SandboxAccess
  /** A key that nobody else signs with. */
  readonly apnsKey: Omit<IosCredential, 'environment'>
  readonly vapid: P256Pair
  readonly devices: readonly SeedDevice[]
}

/** A client that is ready to send: `send` sends one message to every device of the job, and tells how many were accepted. */
export type PeerClient = { readonly send: () => Promise<number> }

/** `first`: connecting, signing in and compiling are part of it. `warm`: the same messages once more in the same process. */
export type PeerCosts = { readonly first: PeerCost; readonly warm: PeerCost }

export type PeerCost = { readonly cpuMs: number; readonly seconds: number; readonly sent: number }
