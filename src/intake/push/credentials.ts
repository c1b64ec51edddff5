import { type ChannelFacts, planWebCredential, type WebChange, webFacts } from '../../domain/push/channel.ts'
import { readWebCredential, type WebCredential } from '../../domain/push/credential.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Clock } from '../../runtime/clock.ts'
import { makeP256Pair } from '../../runtime/secrets/key-pair.ts'
import type { Sealer } from '../../runtime/secrets/sealed.ts'
import type { Database, Db } from '../../store/db.ts'
import {
  type ChannelRef,
  channelSecret,
  deleteChannel,
  lockChannel,
  saveChannel,
} from '../../store/push/channels.ts'
import { wakeChunks } from '../../store/push/postpone.ts'
import { deleteSecret, loadSealedSecret, saveSecret } from '../../store/secrets.ts'

export type CredentialDeps = { readonly sealer: Sealer; readonly clock: Clock }

export type NewCredential = {
  readonly ref: ChannelRef
  readonly credential: object
  readonly facts: ChannelFacts
}

/** Stores a credential in place of the one before, and wakes the chunks that waited for it. */
export async function saveCredential(
  { sealer, clock }: CredentialDeps,
  tx: Db,
  given: NewCredential,
): Promise<void> {
  const { ref, credential, facts } = given
  const now = clock.now()
  await saveChannel(tx, { ...ref, facts, now })
  await saveSecret(tx, sealer, { ...channelSecret(ref), plaintext: encodeJson(credential), now })
  await wakeChunks(tx, ref)
}

export async function deleteCredential(tx: Db, ref: ChannelRef): Promise<void> {
  await deleteChannel(tx, ref)
  await deleteSecret(tx, channelSecret(ref))
}

/** The brand's VAPID keys, made if it has none. */
export async function loadWebCredential(
  deps: CredentialDeps & { readonly database: Database },
  brandId: number,
): Promise<WebCredential> {
  return deps.database.asSystem(brandId, async (tx) => ensureWebCredential(deps, tx, brandId))
}

/** A browser cannot subscribe without a key, so a brand has one from the first time that it is asked for. */
export async function ensureWebCredential(
  deps: CredentialDeps,
  tx: Db,
  brandId: number,
): Promise<WebCredential> {
  const stored = await loadSealedSecret(tx, deps.sealer, channelSecret({ brandId, platform: 'web' }))
  if (stored !== null) return readWebCredential(stored)
  return changeWebCredential(deps, tx, { brandId, subject: null, pair: null })
}

/** Changes the subject or the keys of a brand's web credential, which is made if there is none. */
export async function changeWebCredential(
  deps: CredentialDeps,
  tx: Db,
  change: WebChange & { readonly brandId: number },
): Promise<WebCredential> {
  const ref = { brandId: change.brandId, platform: 'web' } as const
  await lockChannel(tx, ref)
  const stored = await loadSealedSecret(tx, deps.sealer, channelSecret(ref))
  const old = stored === null ? null : readWebCredential(stored)
  const defaults = { subject: DEFAULT_SUBJECT, pair: makeP256Pair(), now: deps.clock.now() }
  const credential = planWebCredential(old, change, defaults)
  await saveCredential(deps, tx, { ref, credential, facts: webFacts(credential) })
  return credential
}

const DEFAULT_SUBJECT = 'mailto:webmaster@example.com'
