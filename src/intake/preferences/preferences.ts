import { type OptOuts, planOptOuts } from '../../domain/preferences/opt-outs.ts'
import { accept, type Result } from '../../domain/result.ts'
import type { Db } from '../../store/db.ts'
import { loadOptOuts, lockOptOuts, type OptOutHolder, saveOptOuts } from '../../store/preferences/opt-outs.ts'
import { listTopics, type Topic } from '../../store/preferences/topics.ts'

/** The topics of the brand, and what a person or a device opted out of. */
export type Preferences = { readonly topics: readonly Topic[]; readonly optOuts: OptOuts }

/** Null when the brand has no such person or device. */
export async function loadPreferences(tx: Db, holder: OptOutHolder): Promise<Preferences | null> {
  const held = await loadOptOuts(tx, holder)
  if (held === null) return null
  const topics = await listTopics(tx, { brandId: holder.brandId, isArchived: false })
  return { topics, optOuts: held.optOuts }
}

type PreferenceChange = {
  /** The whole list of opt-outs as it is to be. */
  readonly wanted: readonly string[]
  readonly now: number
}

/** Replaces the opt-outs of a person or a device. Null when the brand has no such person or device. */
export async function changePreferences(
  tx: Db,
  holder: OptOutHolder,
  { wanted, now }: PreferenceChange,
): Promise<Result<Preferences | null>> {
  const held = await lockOptOuts(tx, holder)
  if (held === null) return accept(null)
  const { kind, brandId } = holder
  const topics = await listTopics(tx, { brandId, isArchived: false })
  const names = topics.map(({ name }) => name)
  const planned = planOptOuts(held.optOuts, { wanted, topics: names, now })
  if (!planned.ok) return planned
  await saveOptOuts(tx, { kind, brandId, id: held.id, optOuts: planned.value, now })
  return accept({ topics, optOuts: planned.value })
}
