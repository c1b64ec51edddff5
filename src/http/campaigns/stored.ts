import { accept, type Result } from '../../domain/result.ts'
import { checkCampaign } from '../../intake/campaigns/audience.ts'
import { type CampaignRef, loadCampaign } from '../../store/campaigns/campaigns.ts'
import type { Deps } from '../deps.ts'
import type { ParsedCampaign } from './body.ts'
import { readStoredDocument } from './document.ts'

/** A stored campaign, read as of a moment and with its references checked; null when there is none. */
export async function loadStoredCampaign(
  deps: Deps,
  ref: CampaignRef,
  now: number,
): Promise<Result<ParsedCampaign> | null> {
  return deps.database.asBrand(ref.brandId, async (tx) => {
    const stored = await loadCampaign(tx, ref)
    if (stored === null) return null
    const parsed = await readStoredDocument(tx, stored.document, { ...deps, now, brandId: ref.brandId })
    if (!parsed.ok) return parsed
    const checked = await checkCampaign(tx, ref.brandId, parsed.value.campaign)
    return checked.ok ? accept(parsed.value) : checked
  })
}
