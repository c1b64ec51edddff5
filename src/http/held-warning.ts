import { type Warning, warning } from '../domain/warning.ts'
import { loadHold } from '../store/sending-hold.ts'
import type { Deps } from './deps.ts'

const RECENT_MS = 3_000

const recent = new WeakMap<Deps, { readonly askedAt: number; readonly isHeld: boolean }>()

/** What a caller is told who asks for a push while sending is held. The database is asked every few seconds, by one. */
export async function heldWarnings(deps: Deps): Promise<readonly Warning[]> {
  const askedAt = deps.clock.now()
  const known = recent.get(deps) ?? { askedAt: Number.NEGATIVE_INFINITY, isHeld: false }
  const isFresh = Math.abs(askedAt - known.askedAt) < RECENT_MS
  if (!isFresh) {
    recent.set(deps, { ...known, askedAt })
    recent.set(deps, { askedAt, isHeld: (await loadHold(deps.database)) !== null })
  }
  return recent.get(deps)?.isHeld === true ? [warning('sending_held', 'notification')] : []
}
