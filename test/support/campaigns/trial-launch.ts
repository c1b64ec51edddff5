import type { StoredTrial } from '../../../src/domain/campaigns/trial.ts'
import type { Alternatives } from '../../../src/domain/push/alternatives.ts'
import type { Database } from '../../../src/store/db.ts'
import { anyContent } from '../push/content.ts'
import { acceptNotification } from '../push/notifications.ts'

export type TrialSeed = Partial<StoredTrial> & { readonly brandId: number }

/** A notification of the brand's first campaign to everybody, with two variants, that is due. */
export async function launchTrial(database: Database, { brandId, ...given }: TrialSeed): Promise<string> {
  const later = { kind: 'after', delayMs: 3_600_000 } as const
  const target = { kind: 'all' } as const
  const id = await acceptNotification(database, { brandId, target, alternatives: VARIANTS, timing: later })
  const trial: StoredTrial = { holdoutPercent: 0, controlPercent: 0, phase: { kind: 'whole' }, ...given }
  await database.query(
    `update notifications set campaign_id = 1, trial = $3, send_at = now(), plan_at = now()
     where brand_id = $1 and id = $2`,
    [brandId, id, JSON.stringify(trial)],
  )
  return id
}

const VARIANTS: Alternatives = {
  languages: [],
  variants: [
    { name: 'A', weight: 1 },
    { name: 'B', weight: 1 },
  ],
  contents: {
    '0/': anyContent({ body: 'text of A' }),
    '1/': anyContent({ body: 'text of B' }),
  },
}
