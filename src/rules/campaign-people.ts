/** The groups that a campaign with a goal, variants or a holdout divides its people into. */
export const CAMPAIGN_GROUPS = ['sent', 'held_out', 'control'] as const

export type CampaignGroup = (typeof CAMPAIGN_GROUPS)[number]

/** The deeds by which the people of a campaign are listed. */
export const CAMPAIGN_DEEDS = ['clicked', 'reached', 'converted'] as const

export type CampaignDeed = (typeof CAMPAIGN_DEEDS)[number]
