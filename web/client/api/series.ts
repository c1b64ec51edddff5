// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type SeriesApi = {
  /** Count over time */
  readonly 'GET /api/v1/series': {
    readonly query: {
      /** One or more, with commas between them: `sends` (messages that a push service took or that failed), `accepted` (messages that a push service took), `failed` (messages that failed for good; name is the reason), `expired` (messages whose time was over before they were sent), `received` (messages that a device reported as received), `clicked` (messages that were clicked), `dismissed` (messages that were dismissed), `button` (messages with a click on a button), `goals` (goal events of campaigns and journeys, each with the message it counts for), `opt_outs` (topics that people and devices opted out of; name is the topic, and `*` everything), `unsubscribed` (devices that were unsubscribed; name is the reason), `subscriptions` (live subscriptions at the end of each span), `events` (events by the time at which they happened; name is the event name), `people_new` (profiles that were made), `people_active` (people with an event in the span, each once), `journey_entries` (people who entered a journey), `journey_exits` (people who left a journey; name is the reason), `journey_steps` (everything that happened at the steps of journeys; name is what happened). */
      readonly metric: string
      /** The length of a span; day if absent. */
      readonly by?: 'minute' | 'hour' | 'day' | 'week'
      /** The first day, or a time, in the zone; if absent, 60 minutes, 48 hours, 30 days, 13 weeks before the end. */
      readonly from?: string
      /** The last day, or the end, in the zone; now if absent. */
      readonly to?: string
      /** An IANA name or an offset; the zone of the brand if absent. */
      readonly time_zone?: string
      /** One line for each part; at most 50 lines, the largest first. */
      readonly group?: 'platform' | 'campaign' | 'journey' | 'step' | 'name'
      readonly platform?: 'android' | 'ios' | 'web'
      /** Only messages of this campaign. */
      readonly campaign_id?: string
      /** Only this journey. */
      readonly journey_id?: string
      /** Only this notification, by the id that Beckon gave it. It has received, clicked, dismissed, button, goals, and no parts. */
      readonly notification_id?: string
      /** Only this step of a journey. */
      readonly step?: string
      /** Only this name: of an event, a reason, a topic. */
      readonly name?: string
    }
    readonly reply: Success & {
      readonly series: {
        readonly by: string
        readonly time_zone: string
        readonly from: string
        readonly to: string
        /** The beginning of each span, with the offset of the zone. */
        readonly starts: readonly string[]
        readonly lines: readonly {
          readonly metric: string
          /** The platform, campaign, journey, step or name; null for none, or when there are no groups. */
          readonly part: string | null
          /** One number for each span; 0 where nothing happened. */
          readonly counts: readonly number[]
          /** The sum; null for subscriptions and people, whose numbers do not add up. */
          readonly total: number | null
          /** People are exact by day and by week in the zone of the brand, and estimated otherwise. Everything else is exact. */
          readonly is_estimated: boolean
        }[]
      }
    }
  }
}
