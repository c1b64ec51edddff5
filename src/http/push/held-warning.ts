import { type Warning, warning } from '../../domain/warning.ts'
import { FreshLooks } from '../../runtime/limits/fresh-looks.ts'
import { loadHold } from '../../store/push/sending-hold.ts'
import type { Deps } from '../deps.ts'

const FRESH_MS = 3_000

const looks = new WeakMap<Deps, FreshLooks<boolean>>()

/** What a caller is told who asks for a push while sending is held. The database is asked every few seconds, by one. */
export async function heldWarnings(deps: Deps): Promise<readonly Warning[]> {
  const look = looks.get(deps) ?? new FreshLooks<boolean>(FRESH_MS, deps.clock.now)
  looks.set(deps, look)
  const isHeld = await look.find('hold', async () => (await loadHold(deps.database)) !== null)
  return isHeld ? [warning('sending_held', 'notification')] : []
}
