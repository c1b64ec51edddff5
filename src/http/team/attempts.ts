import { fault } from '../../domain/fault.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { sha256 } from '../../runtime/secrets/crypto.ts'
import { takeHits } from '../../store/rate-limit.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'

/** No brand has this id: the numbers of brands begin at 1. */
const NO_BRAND = 0

/**
 * Counts an attempt to prove to be the person with this e-mail address, known or not: few from one network, so that a
 * password cannot be guessed, and more from all of them, so that a stranger does not lock the person out. Null when it
 * is allowed.
 */
export async function takeAttempt(
  { database }: Deps,
  { email, network }: { readonly email: string; readonly network: string },
): Promise<Reply | null> {
  const account = Buffer.from(sha256(email.trim().toLowerCase())).toString('base64url')
  const limits = [
    { bucket: `sign-in ${account} ${network}`, limit: SIGN_IN.attemptsMax },
    { bucket: `sign-in ${account}`, limit: SIGN_IN.accountAttemptsMax },
  ]
  for (const { bucket, limit } of limits) {
    const windowMs = SIGN_IN.attemptsWindowMs
    const taken = await takeHits(database, { brandId: NO_BRAND, bucket, wanted: 1, limit, windowMs })
    if (taken.granted === 0) return refuseAttempt(limit, taken.freesInMs)
  }
  return null
}

function refuseAttempt(max: number, freesInMs: number): Reply {
  const words = { max, seconds: SIGN_IN.attemptsWindowMs / 1000 }
  const wait = String(Math.max(1, Math.ceil(freesInMs / 1000)))
  return refuse({ faults: [fault('rate_limited', null, words)] }, { headers: { 'retry-after': wait } })
}
