import type { Campaign } from '../../client/api/campaigns.ts'
import type { CampaignContent } from '../../client/api/documents.ts'
import { type Languages, templateIn, type UsedTemplate, useUsedTemplate } from '../compose/used-template.ts'

type WholeContent = {
  readonly content: CampaignContent
  readonly languages: Languages
  readonly template: UsedTemplate | null
}

/** The content of a campaign, with the words of its template where it has none of its own. */
export function useCampaignContent(campaign: Campaign | null): WholeContent {
  const { template } = useUsedTemplate(templateIn(campaign))
  return {
    content: { ...template?.content, ...campaign?.content },
    languages: campaign?.languages ?? template?.languages ?? {},
    template,
  }
}
