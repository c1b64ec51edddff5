import { BODY_BOUNDS } from '../../domain/values/json-bytes.ts'
import { CAMPAIGN_BODY } from './body.ts'

export const CAMPAIGN_FACTS = { group: 'Campaigns', scopes: ['push'] } as const
export const CAMPAIGN_PATH = '/api/v1/campaigns'
export const CAMPAIGN_ONE_PATH = `${CAMPAIGN_PATH}/{campaign_id}`
export const CAMPAIGN_DOCUMENT_REFUSALS = [
  'unknown_field',
  'campaign_invalid',
  'filter_invalid',
  'template_invalid',
  'template_not_found',
  'template_unfit',
  'payload_too_large',
  'segment_not_found',
  'campaign_not_found',
  'topic_unknown',
] as const
/** A body may hold a long list of people. */
export const CAMPAIGN_JSON = {
  body: 'json',
  bodyBytesMax: CAMPAIGN_BODY.bytesMax,
  bodyBounds: { ...BODY_BOUNDS, valuesMax: CAMPAIGN_BODY.valuesMax },
} as const

export const CAMPAIGN_EXAMPLE = {
  name: 'Autumn teas',
  audience: { everyone: true },
  platforms: ['ios', 'web'],
  content: {
    title: 'The autumn teas are here',
    message: 'Six new ones.',
    url: 'https://shop.example/autumn',
  },
  ios: { sound: 'bell.caf' },
  undo_seconds: 30,
}
