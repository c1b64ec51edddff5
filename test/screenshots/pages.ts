import type { Places } from './seed.ts'

/** The parts of the shop that a page can be about are known only once they are made. */
export function pagesOf({
  campaign,
  draft,
  person,
  segment,
  journey,
  template,
}: Places): Readonly<Record<string, string>> {
  return {
    home: '/',
    compose: `/compose/${draft}`,
    messages: '/messages',
    message: `/messages/campaign/${campaign}`,
    templates: '/templates',
    template: `/templates/${template}`,
    people: '/people',
    person: `/people/${person}`,
    segments: '/segments',
    segment: `/segments/${segment}`,
    journeys: '/journeys',
    journey: `/journeys/${journey}`,
    events: '/events',
    trend: '/events/trend',
    explore: `/events/explore?name=purchase&measure=people&compare=yes&by=${encodeURIComponent('["attribute:tea"]')}&where=${encodeURIComponent('[{"attribute":"total","is":"gte","value":9}]')}`,
    funnel: `/events/funnel?within=hour&steps=product+viewed,added+to+cart,purchase&by=${encodeURIComponent('["attribute:tea"]')}`,
    retention: '/events/retention?unit=day',
    paths: '/events/paths?name=product+viewed',
    devices: '/devices',
    settings: '/settings',
    channels: '/settings/channels',
    account: '/settings/account',
  }
}
