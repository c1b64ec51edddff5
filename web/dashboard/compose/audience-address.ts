import { addressOf } from '../kit/address.tsx'

/** The lists behind the numbers of a dry run. */
export const AUDIENCE_LISTS = ['people', 'devices', 'opted_out', 'over_cap'] as const

export type AudienceListName = (typeof AUDIENCE_LISTS)[number]

/** The address of the people or the devices that a number of the dry run of a draft counts. */
export function audienceAddress(campaignId: string, show: AudienceListName): string {
  return `${addressOf(`/compose/${campaignId}`, { show })}#audience`
}
