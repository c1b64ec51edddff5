import { CAMPAIGN_DOCUMENTS } from '../../rules/campaigns.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { bodySchema } from '../fields/schema.ts'
import { campaignContentRules, TEMPLATE_NAME_RULES } from '../push/field-rules.ts'
import { documentRef, documentSchemas } from '../schema/document.ts'

/** A field of the content is one of a push. The strictest platform decides its limits. */
const CONTENT = {
  description: 'The fields of a push that say what is shown. The limits are those of the platforms.',
  type: 'object',
  properties: Object.assign(
    {},
    bodySchema(TEMPLATE_NAME_RULES).properties,
    ...PLATFORM_NAMES.toReversed().map((platform) => bodySchema(campaignContentRules(platform)).properties),
  ),
}

const LANGUAGES = {
  description: 'Fields of a push in other languages, by language tag.',
  type: 'object',
  additionalProperties: documentRef('CampaignContent'),
}

/** The named documents of campaigns, for the components of the OpenAPI document. */
export const CAMPAIGN_DOCUMENT_SCHEMAS = {
  ...documentSchemas(CAMPAIGN_DOCUMENTS),
  CampaignContent: CONTENT,
  CampaignLanguages: LANGUAGES,
}
